"""The functions of track.py, compiled, for kernels that read messages in bulk."""

from __future__ import annotations

from analyzer.kernel import Compiled
from analyzer.snapshots import track

_compiled = Compiled(track.COMPILED)

has_room = _compiled(track.has_room)
find = _compiled(track.find)
flags_of = _compiled(track.flags_of)
see = _compiled(track.see)
refer = _compiled(track.refer)
fate = _compiled(track.fate)
open_collector = _compiled(track.open_collector)
agree = _compiled(track.agree)
hold = _compiled(track.hold)
missing = _compiled(track.missing)
bytes_of = _compiled(track.bytes_of)
close_collector = _compiled(track.close_collector)
end = _compiled(track.end)
overdue = _compiled(track.overdue)
put_base = _compiled(track.put_base)
block_due = _compiled(track.block_due)
pay = _compiled(track.pay)
watch = _compiled(track.watch)
believe = _compiled(track.believe)
acknowledge = _compiled(track.acknowledge)
ack_bears_on_causes = _compiled(track.ack_bears_on_causes)
nothing_beside = _compiled(track.nothing_beside)
purge = _compiled(track.purge)
