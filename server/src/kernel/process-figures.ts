// What the runtime counts of this process: memory, processor, and how long its one thread was busy.
import { performance } from 'node:perf_hooks';
import { systemClock } from './clock.ts';
import { counter, type Figure, type FigureSource, gauge } from './figures.ts';
import type { Part } from './lifecycle.ts';
import { greatest } from './lists.ts';

const TICK_MS = 1000;
const KEPT_TICKS = 60;

/** How late a timer came, at most, within the last minute: what a request may have waited for work of ours. */
export class LoopDelay implements Part {
  readonly name = 'loop-delay';
  readonly #late: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #expected = systemClock.monotonic() + TICK_MS;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    const now = systemClock.monotonic();
    this.#late.push(Math.max(0, now - this.#expected));
    if (this.#late.length > KEPT_TICKS) this.#late.shift();
    this.#expected = now + TICK_MS;
  }

  /** Null in the first second. */
  get largestSeconds(): number | null {
    return this.#late.length === 0 ? null : (greatest(this.#late) ?? 0) / 1000;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }
}

export interface ProcessFacts {
  roles: readonly string[];
  version: string;
  /** Asked at each reading. */
  commit: () => string | undefined;
  delay: LoopDelay;
}

function program({ roles, version, commit }: ProcessFacts): Figure[] {
  const build = { version, commit: commit() ?? '' };
  return [
    {
      ...{
        name: 'matriarch_build_info',
        type: 'gauge',
        help: 'Version and commit of the program; always 1.',
      },
      values: [{ labels: build, value: 1 }],
    },
    {
      ...{ name: 'matriarch_role', type: 'gauge', help: 'Roles of this process; always 1.' },
      values: roles.map((role) => ({ labels: { role }, value: 1 })),
    },
  ];
}

export function processFigures(facts: ProcessFacts): FigureSource {
  return () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, external } = process.memoryUsage();
    const { active } = performance.eventLoopUtilization();
    return [
      ...program(facts),
      gauge('process_start_time_seconds', 'When the process started.', performance.timeOrigin / 1000),
      counter('process_cpu_seconds_total', 'Processor time of the process.', (user + system) / 1e6),
      gauge('process_resident_memory_bytes', 'Memory that the process has of the machine.', rss),
      gauge('matriarch_heap_used_bytes', 'Memory of objects in JavaScript.', heapUsed),
      gauge('matriarch_external_memory_bytes', 'Memory of buffers outside of that.', external),
      counter(
        'matriarch_event_loop_busy_seconds_total',
        'Time in which the event loop worked.',
        active / 1000,
      ),
      gauge(
        'matriarch_event_loop_delay_seconds',
        'Longest delay of a timer in the last minute.',
        facts.delay.largestSeconds,
      ),
    ];
  };
}
