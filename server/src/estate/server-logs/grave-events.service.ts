// Events of logs that explain what charts show, minute by minute, without their texts. The caller has checked the access to the connections.
import type { Db } from '../../kernel/db.ts';
import { type GraveWindow, graveMinutes } from './grave-events.queries.ts';
import { meaningOf } from './server-logs.service.ts';

/** A restart is known without the log. */
const GRAVE = [
  ...[
    'crash_recovery',
    'process_crashed',
    'panic',
    'out_of_memory',
    'disk_full',
    'data_corruption',
    'io_error',
  ],
  ...['server_immediate_shutdown', 'start_failed', 'wraparound_warning', 'slot_invalidated', 'deadlock'],
];

/** The newest first. */
export const graveLogMinutes = async (db: Db, window: Omit<GraveWindow, 'classes'>) =>
  (await graveMinutes(db, { ...window, classes: GRAVE })).map((row) => ({
    ...row,
    ...meaningOf(row.class),
  }));
