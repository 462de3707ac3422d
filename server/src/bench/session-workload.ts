// A server with active sessions, as the bench of sessions samples it; the same in every run.
import type { Row } from '../store/layout/types.ts';

export const ACTIVE = 50;
/** As the probe rounds ages. */
const STEPS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/** The same numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

const WAITS = [
  ['IO', 'DataFileRead'],
  ['IO', 'WALSync'],
  ['LWLock', 'WALWrite'],
  ['LWLock', 'BufferContent'],
  ['Lock', 'transactionid'],
  ['Client', 'ClientRead'],
] as const;

/** 50 sessions, each of which is at something else in the next second with that chance in a hundred. */
export function workload(changing: number): () => Row[] {
  const draw = random(7);
  const pick = () => {
    // Few statements are most of the load.
    const query_id = Math.floor((draw(1000) / 1000) ** 3 * 200);
    const [wait_event_type = null, wait_event = null] =
      draw(100) < 45 ? [] : (WAITS[draw(WAITS.length)] ?? []);
    return { query_id: 4_611_686_018_427_387_904n + BigInt(query_id), wait_event_type, wait_event, since: 0 };
  };
  const working = Array.from({ length: ACTIVE }, (_, n) => ({
    ...pick(),
    application_name: `app ${n % 10}`,
    client_addr: `10.0.0.${n % 8}`,
  }));
  return () => {
    const rows = new Map<string, Row & { sessions: number; oldest_query_seconds: number }>();
    for (const one of working) {
      one.since += 1;
      if (draw(100) < changing) Object.assign(one, pick());
      const { since, query_id, ...of } = one;
      const key = `${query_id} ${Object.values(of).join(' ')}`;
      const before = rows.get(key);
      const age = Math.max(before?.oldest_query_seconds ?? 0, since);
      const rounded = STEPS.findLast((step) => step <= age) ?? 0;
      rows.set(key, {
        state: 'active',
        ...of,
        query_id: String(query_id),
        datname: 'shop',
        usename: 'app',
        backend_type: 'client backend',
        is_rest: false,
        sessions: (before?.sessions ?? 0) + 1,
        oldest_xact_seconds: rounded,
        oldest_query_seconds: rounded,
      });
    }
    return [...rows.values()];
  };
}
