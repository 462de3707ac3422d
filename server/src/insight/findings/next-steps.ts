// What to do next, of all that is open: at most three things, each with its figure. Pure. Guards: what ends service soon comes before
// what is merely wrong; a check is named once, so that one kind of trouble does not hide the others.
import type { Static } from '../../kernel/schema.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { checks } from '../checks/catalog.gen.ts';
import type { RunwayItem as RunwaySchema } from '../runway/runway.schemas.ts';
import type { HappenedEvent } from '../timeline/happened.schemas.ts';
import type { Finding as FindingSchema } from './findings.schemas.ts';
import type { FindingsReport } from './report.contract.ts';

type Step = Static<typeof FindingsReport>['next'][number];
type Finding = Static<typeof FindingSchema>;
type RunwayItem = Static<typeof RunwaySchema>;
type Happened = Static<typeof HappenedEvent>;

const MOST = 3;
const [SOON_MS, LATER_MS] = [14 * DAY_MS, 90 * DAY_MS];

export interface Open {
  /** The gravest first. */
  findings: readonly Finding[];
  /** What became slower or larger. */
  declined: readonly Happened[];
  /** What runs out, the soonest first. */
  items: readonly RunwayItem[];
  now: number;
}

interface Ranked {
  rank: number;
  /** What is named once. */
  key: string;
  step: Step;
}

const ADVICE: ReadonlyMap<string, string> = new Map(checks.map(({ name, advice }) => [name, advice]));
const RANKS = { critical: 0, warning: 3, info: 5 } as const;

const ofFinding = (finding: Finding): Ranked => ({
  rank: RANKS[finding.severity],
  key: finding.check,
  step: {
    ...{ kind: 'finding', connection_id: finding.connection_id, server_name: finding.server_name },
    ...{ finding_id: finding.id, title: finding.title, message: finding.message },
    action: ADVICE.get(finding.check) ?? '',
  },
});

function ofRunway(item: RunwayItem, now: number): Ranked[] {
  const { kind, connection_id, server_name, runs_out_at, database_name, object_name } = item;
  if (runs_out_at === null) return [];
  const ahead = Date.parse(runs_out_at) - now;
  if (ahead > LATER_MS) return [];
  const what = kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('_', ' ');
  const name = [database_name, object_name].filter((one) => one !== null).join(' ');
  const days = Math.max(0, Math.floor(ahead / DAY_MS));
  const message = `${name === '' ? what : `${what} "${name}"`} runs out on ${runs_out_at.slice(0, 10)}, in ${days} ${days === 1 ? 'day' : 'days'}.`;
  return [
    {
      rank: ahead <= SOON_MS ? 1 : 4,
      key: `runway ${kind}`,
      step: {
        ...{
          kind: 'runs_out',
          connection_id,
          server_name,
          finding_id: null,
          title: `${what} runs out`,
          message,
        },
        action: 'Add room or slow its growth before that date.',
      },
    },
  ];
}

const ofSlower = ({ connection_id, server_name, message }: Happened): Ranked => ({
  rank: 2,
  key: 'slower',
  step: {
    ...{ kind: 'slower_statement', connection_id, server_name, finding_id: null, title: 'Slower statement' },
    message,
    action: 'Compare its plan and the indexes of its tables with the time before.',
  },
});

export function nextSteps({ findings, declined, items, now }: Open): Step[] {
  const ranked = [
    ...items.flatMap((item) => ofRunway(item, now)),
    ...declined.filter(({ kind }) => kind === 'slower_statement').map(ofSlower),
    ...findings.map(ofFinding),
  ];
  // A stable sort: within a rank the order of its source holds.
  const sorted = ranked.sort((a, b) => a.rank - b.rank);
  const named = new Map<string, Step>();
  for (const { key, step } of sorted) if (!named.has(key)) named.set(key, step);
  return [...named.values()].slice(0, MOST);
}
