"""The functions of this package, compiled, for kernels that read messages in bulk."""

from __future__ import annotations

from analyzer.kernel import Compiled
from analyzer.snapshots.tracking import acks, parts, ticks

_compiled = Compiled((*ticks.COMPILED, *parts.COMPILED, *acks.COMPILED))

has_room = _compiled(ticks.has_room)
find = _compiled(ticks.find)
flags_of = _compiled(ticks.flags_of)
see = _compiled(ticks.see)
refer = _compiled(ticks.refer)
fate = _compiled(parts.fate)
open_collector = _compiled(parts.open_collector)
agree = _compiled(parts.agree)
hold = _compiled(parts.hold)
missing = _compiled(parts.missing)
bytes_of = _compiled(parts.bytes_of)
close_collector = _compiled(parts.close_collector)
end = _compiled(parts.end)
overdue = _compiled(parts.overdue)
put_base = _compiled(ticks.put_base)
block_due = _compiled(ticks.block_due)
pay = _compiled(ticks.pay)
watch = _compiled(acks.watch)
believe = _compiled(acks.believe)
acknowledge = _compiled(acks.acknowledge)
ack_bears_on_causes = _compiled(acks.ack_bears_on_causes)
nothing_beside = _compiled(ticks.nothing_beside)
purge = _compiled(ticks.purge)
