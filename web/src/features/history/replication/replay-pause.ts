// Whether a standby replays what it receives. Pure.

/** `state` is PostgreSQL's own word; a receiver streams on while nothing is replayed. */
export const pausedReplay = (state: string | null): string | undefined =>
  state === 'paused' || state === 'pause requested' ? `WAL replay ${state}` : undefined;
