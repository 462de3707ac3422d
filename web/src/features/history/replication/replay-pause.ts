// How far behind a standby is worth a look, and whether it replays what it receives. Pure.

/** From how long on a lag is shown as wrong. */
export const LONG_LAG_SECONDS = 30;

/** `state` is PostgreSQL's own word; a receiver streams on while nothing is replayed. */
export const pausedReplay = (state: string | null): string | undefined =>
  state === 'paused' || state === 'pause requested' ? `WAL replay ${state}` : undefined;
