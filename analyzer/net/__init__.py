"""From a captured frame to a UDP datagram of a flow: link layers, IPv4, IPv6, fragments."""
