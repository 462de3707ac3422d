// Background work in rounds, one after the other until it is stopped. Guards: a round that fails stops nothing and is noted; a stop
// breaks off the pause, and waits for the round that is under way.
import { sleep } from './clock.ts';
import type { Part } from './lifecycle.ts';
import type { PartName, PartNotes } from './part-states.ts';

interface RoundJob<T> {
  round(): Promise<T>;
  /** After the last round. */
  end?(): Promise<unknown>;
}

export interface RoundsOptions<T> {
  name: string;
  /** Between two rounds: always the same, or by what the round before answered; undefined: it failed. */
  pauseMs: number | ((answer: T | undefined) => number);
  /** Called once. Its signal aborts at the stop. */
  begin(signal: AbortSignal): RoundJob<T>;
  /** Called when a round fails, unless the stop broke it off. */
  onFailure(error: unknown): void;
  /** Where it is noted how the work does. */
  noted?: {
    part: PartName;
    parts: PartNotes;
    /** In place of a note that the round succeeded. */
    note?(answer: T): Promise<void>;
  };
  /** Stops the work as well. */
  signal?: AbortSignal | undefined;
  /** Before the first round; none when absent. */
  delayMs?: number;
}

export interface Rounds extends Part {
  /** Ends the pause; a round that is under way is followed by the next one at once. */
  wake(): void;
}

export function startRounds<T>(options: RoundsOptions<T>): Rounds {
  const { name, pauseMs, onFailure, noted, delayMs = 0 } = options;
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
  let waking = new AbortController();
  const work = options.begin(signal);
  const round = async (): Promise<T | undefined> => {
    try {
      if (!noted) return await work.round();
      const { part, parts, note = () => parts.ran(part) } = noted;
      const answer = await parts.during(part, () => work.round());
      await note(answer);
      return answer;
    } catch (error) {
      if (signal.aborted) return undefined;
      onFailure(error);
      await noted?.parts.failed(noted.part, error);
      return undefined;
    }
  };
  const loop = async () => {
    if (delayMs > 0) await sleep(delayMs, signal);
    while (!signal.aborted) {
      waking = new AbortController();
      const answer = await round();
      const pause = typeof pauseMs === 'number' ? pauseMs : pauseMs(answer);
      await sleep(pause, AbortSignal.any([signal, waking.signal]));
    }
  };
  const done = loop();
  return {
    name,
    wake: () => waking.abort(),
    stop: async () => {
      stopping.abort();
      await done;
      await work.end?.();
    },
  };
}
