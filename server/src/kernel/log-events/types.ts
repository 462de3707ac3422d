// What a log event is: the levels it is written at, what it means and what to do. The reference of log events and the types of the log
// are made of these. Guards: what is a warning or an error says what to do.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogEvent<Level extends LogLevel = LogLevel> {
  levels: readonly Level[];
  meaning: string;
  /** Absent where nothing has to be done. */
  action?: string;
}

export const info = (meaning: string, action?: string): LogEvent<'info'> => ({
  levels: ['info'],
  meaning,
  ...(action !== undefined && { action }),
});

export const warn = (meaning: string, action: string): LogEvent<'warn'> => ({
  levels: ['warn'],
  meaning,
  action,
});

export const error = (meaning: string, action: string): LogEvent<'error'> => ({
  levels: ['error'],
  meaning,
  action,
});
