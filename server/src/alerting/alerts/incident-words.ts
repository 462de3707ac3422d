// What an incident is called: where, its cause, and after an arrow what follows from it. Pure.
import { isOwn } from './alerts.types.ts';
import type { IncidentPart } from './incidents.queries.ts';

const MOST_NAMED = 3;

/** What the rows of a probe are, where alerts of one rule are of several. */
const OBJECTS: readonly (readonly [part: string, many: string])[] = [
  ['pg_stat_all_tables', 'tables'],
  ['pg_statio_all_tables', 'tables'],
  ['index', 'indexes'],
  ['slot', 'slots'],
  ['sequence', 'sequences'],
  ['disk', 'file systems'],
  ['statements', 'statements'],
];

function countWords({ object_count, server_count, probe_name }: IncidentPart): string {
  if (server_count > 1) return `${server_count} servers`;
  const [, many = 'alerts'] = OBJECTS.find(([part]) => probe_name?.includes(part)) ?? [];
  return `${object_count} ${many}`;
}

const OWN = 'Matriarch';

/** Its place is said beside it. */
const titleOf = ({ raised_by, title }: IncidentPart) =>
  isOwn(raised_by) && title.startsWith(`${OWN}: `) ? title.slice(OWN.length + 2) : title;

/** Of one object the title of its alert, of several that of their rule with how many there are. */
export function partWords(part: IncidentPart, ruleTitle: string | undefined): string {
  if (part.object_count === 1) return titleOf(part);
  return `${ruleTitle ?? part.title} (${countWords(part)})`;
}

/** "Session idle in transaction → Longest lock wait, High share of dead tuples (2 tables)". */
export function whatWords(parts: readonly string[]): string {
  const [cause = '', ...followers] = parts;
  const named = followers.slice(0, MOST_NAMED).join(', ');
  const rest = followers.length - MOST_NAMED;
  return `${cause}${named === '' ? '' : ` → ${named}`}${rest > 0 ? ` and ${rest} more` : ''}`;
}

interface IncidentScope {
  /** Of the cause. */
  server_name: string;
  cluster_name: string | null;
  server_count: number;
  /** True: about this product's own work. */
  is_own?: true | null;
}

/** As messages say it for one server; of several the cluster, where it has a name. */
export function placeWords({ server_name, cluster_name, server_count, is_own }: IncidentScope): string {
  if (is_own) return OWN;
  const cluster = cluster_name === server_name ? null : cluster_name;
  if (server_count > 1) return cluster ?? `${server_name} and ${server_count - 1} more`;
  return cluster === null ? server_name : `${cluster} / ${server_name}`;
}
