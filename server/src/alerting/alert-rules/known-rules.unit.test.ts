// What people call the things that rules judge.
import { expect, it } from 'vitest';
import { demandKnown, objectNameOf } from './known-rules.service.ts';

const PLACES = [
  ['replication_lag_bytes', { role: 'primary', pid: 4711, application_name: 'walreceiver' }, 'walreceiver'],
  // Process ids are others after each start, and the thing is the same.
  ['replication_lag_bytes', { role: 'standby', pid: 4711, application_name: null }, 'standby'],
  ['standby_replay_age', { role: 'standby', pid: 4711 }, ''],
  [
    'sequence_usage_high',
    { seqrelid: 16384, schemaname: 'public', sequencename: 'orders_id_seq' },
    'public.orders_id_seq',
  ],
  [
    'invalid_index',
    {
      object_oid: 16385,
      finding: 'invalid',
      schemaname: 'public',
      relname: 'orders',
      indexrelname: 'broken',
    },
    'public.broken',
  ],
  ['replication_slot_lost', { slot_name: 'left behind' }, 'left behind'],
] as const;

it.each(PLACES)('%s calls %j by its name', (name, object, expected) => {
  expect(objectNameOf(demandKnown(name), object)).toBe(expected);
});
