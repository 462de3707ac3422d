// Connection lost: the connection to a client broke.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'connection_lost',
  group: 'connections',
  title: 'Connection lost',
  meaning: 'The connection to a client broke.',
  weight: 'info',
  remedy:
    'Many at once point to the network, a firewall that drops idle connections, or clients that are killed. Set tcp_keepalives_idle.',
  texts: {
    '08006': [
      'could not receive data from client: …',
      'could not send data to client: …',
      'connection to client lost',
      'unexpected EOF on client connection',
      'unexpected EOF on standby connection',
    ],
    '08P01': ['unexpected EOF within message length word', 'unexpected EOF on client connection'],
    '08003': ['unexpected EOF on client connection', 'could not send data to client: …'],
  },
  sqlstates: ['08006', '08003', '08'],
  examples: [{ since: 14, line: 'LOG:  could not receive data from client: Connection reset by peer' }],
});
