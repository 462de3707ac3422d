// Counters of network interfaces; the ends of containers' cables are left out.
import { defineHostProbe } from './types.ts';
import { counters } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_network_info',
  description: 'Traffic of each network interface.',
  host: 'network',
  columns: [
    { name: 'interface_name', type: 'text', kind: 'key', description: 'Name of the interface, e.g. eth0.' },
    { name: 'ip_address', type: 'text', kind: 'label', description: 'An address of it, IPv4 before IPv6.' },
    ...counters('bytes', [['tx_bytes', 'Bytes sent by the interface.']]),
    ...counters('count', [
      ['tx_packets', 'Packets sent.'],
      ['tx_errors', 'Errors of sending.'],
      ['tx_dropped', 'Packets dropped instead of sent.'],
    ]),
    ...counters('bytes', [['rx_bytes', 'Bytes received by the interface.']]),
    ...counters('count', [
      ['rx_packets', 'Packets received.'],
      ['rx_errors', 'Errors of receiving.'],
      ['rx_dropped', 'Packets dropped after they were received.'],
    ]),
    {
      name: 'link_speed_mbps',
      type: 'bigint',
      kind: 'gauge',
      description: 'Megabits a second; null where there is no such speed.',
    },
  ],
});
