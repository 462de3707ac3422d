// Why a line of a file is in no event.
export const REASONS = {
  foreign: 'not a line of a PostgreSQL log',
  orphan: 'goes on with an event that began before this file',
  empty: 'empty',
  binary: 'binary data',
  broken: 'part of a csvlog record that is incomplete',
} as const;
export type Reason = (typeof REASONS)[keyof typeof REASONS];
