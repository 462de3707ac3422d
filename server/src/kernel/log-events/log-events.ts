// Every event that the program writes to its log, by name: the one source of their reference (docs/reference/log-events.md) and of what
// the log takes. Guards: an event that is not here, or is written at another level, does not compile.
import { assistantEvents } from './assistant.ts';
import { collectorEvents } from './collector.ts';
import { identityEvents } from './identity.ts';
import { processEvents } from './process.ts';
import { storeEvents } from './store.ts';
import type { LogLevel } from './types.ts';
import { watchingEvents } from './watching.ts';

/** The parts of the reference. */
export const LOG_EVENT_GROUPS = [
  { title: 'Process, API and datastore', events: processEvents },
  { title: 'Collector', events: collectorEvents },
  { title: 'Store and spool', events: storeEvents },
  { title: 'Servers, alerts, notifications and findings', events: watchingEvents },
  { title: 'Accounts, rights and password sources', events: identityEvents },
  { title: 'Language models, chat and tools', events: assistantEvents },
] as const;

type Events = typeof processEvents &
  typeof collectorEvents &
  typeof storeEvents &
  typeof watchingEvents &
  typeof identityEvents &
  typeof assistantEvents;

/** The names of the events that are written at a level. */
export type EventAt<Level extends LogLevel> = {
  [Name in keyof Events]: Level extends Events[Name]['levels'][number] ? Name : never;
}[keyof Events];
