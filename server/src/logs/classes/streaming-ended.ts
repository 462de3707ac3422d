// Streaming ended: a standby lost its primary, or a primary lost a standby.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'streaming_ended',
  group: 'replication',
  title: 'Streaming ended',
  meaning: 'A standby lost its primary, or a primary lost a standby.',
  weight: 'warning',
  remedy:
    'Look at the network and at the other server in the same minute; the standby goes on by itself when it can connect again.',
  texts: {
    '00000': [
      'replication terminated by primary server',
      'WAL receiver process shutdown requested',
      'terminating walsender process due to replication timeout',
      'waiting for WAL to become available at …',
      'primary server contains no more WAL on requested timeline …',
    ],
    '08006': [
      'could not connect to the primary server: …',
      'could not receive data from WAL stream: …',
      'terminating walreceiver due to timeout',
      'could not send end-of-streaming message to primary: …',
    ],
    '55000': ['requested starting point … is ahead of the WAL flush position of this server …'],
    XX000: ['could not connect to the primary server: …', 'could not receive data from WAL stream: …'],
    '08P01': ['could not receive data from WAL stream: …'],
    any: [
      'could not start WAL streaming: …',
      'highest timeline … of the primary is behind recovery timeline …',
      'database system identifier differs between the primary and standby',
    ],
    '57P01': [
      'terminating walreceiver process due to administrator command',
      'terminating walreceiver due to timeout',
    ],
    '08003': ['terminating walreceiver due to timeout'],
  },
  examples: [{ since: 14, line: 'LOG:  replication terminated by primary server' }],
});
