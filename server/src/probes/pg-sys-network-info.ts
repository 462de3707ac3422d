// Counters of network interfaces; the ends of containers' cables are left out.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_network_info',
  description: 'Traffic of each network interface.',
  host: 'network',
  columns: [
    { name: 'interface_name', type: 'text', kind: 'key', description: 'Name of the interface, e.g. eth0.' },
    { name: 'ip_address', type: 'text', kind: 'label', description: 'An address of it, IPv4 before IPv6.' },
    {
      name: 'tx_bytes',
      type: 'bigint',
      kind: 'counter',
      unit: 'bytes',
      description: 'Bytes sent by the interface.',
    },
    { name: 'tx_packets', type: 'bigint', kind: 'counter', unit: 'count', description: 'Packets sent.' },
    { name: 'tx_errors', type: 'bigint', kind: 'counter', unit: 'count', description: 'Errors of sending.' },
    {
      name: 'tx_dropped',
      type: 'bigint',
      kind: 'counter',
      unit: 'count',
      description: 'Packets dropped instead of sent.',
    },
    {
      name: 'rx_bytes',
      type: 'bigint',
      kind: 'counter',
      unit: 'bytes',
      description: 'Bytes received by the interface.',
    },
    { name: 'rx_packets', type: 'bigint', kind: 'counter', unit: 'count', description: 'Packets received.' },
    {
      name: 'rx_errors',
      type: 'bigint',
      kind: 'counter',
      unit: 'count',
      description: 'Errors of receiving.',
    },
    {
      name: 'rx_dropped',
      type: 'bigint',
      kind: 'counter',
      unit: 'count',
      description: 'Packets dropped after they were received.',
    },
    {
      name: 'link_speed_mbps',
      type: 'bigint',
      kind: 'gauge',
      description: 'Megabits a second; null where there is no such speed.',
    },
  ],
});
