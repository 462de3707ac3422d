// The few facts one looks for first, always in the same place. Guards: what a server that does not answer was like is not
// shown as what it is like; each says of when it is.
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { EstateServer, ServerInfo } from '../../../api/types.ts';
import { countOf, formatBytes, formatCount, formatMilliseconds } from '../../../lib/format.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Since } from '../../../ui/since.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { isAway, stateOf } from '../../estate/estate/server-state.ts';
import {
  allOf,
  countWords,
  findingsPath,
  type ServerFindingCounts,
} from '../finding-counts/use-finding-counts.ts';
import classes from './summary-strip.module.css';

interface Fact {
  name: string;
  value: ReactNode;
  /** Why there is no value. */
  because?: string;
  detail?: ReactNode;
  /** Whether the detail is seen; else it is there for those who listen. */
  isDetailed?: boolean;
}

/** "PostgreSQL 18.4 on x86_64…" → "18.4". */
function shortVersion(version: string | null): string | null {
  if (version === null) return null;
  return /^PostgreSQL (\S+)/.exec(version)?.[1] ?? version;
}

const ROLE_DETAIL = { primary: 'takes writes', standby: 'replays another server' } as const;
const AWAY = 'Unknown while the server is not read';

/** What was so when it was read, with the time. */
const Then = ({ words, at }: { words: string; at: string | null | undefined }) => (
  <>
    {words}
    {at == null ? null : (
      <>
        , <RelativeTime at={at} />
      </>
    )}
  </>
);

function statusFact(server: EstateServer | undefined): Fact {
  const state = server && stateOf(server);
  const { failing_since, response_time_ms = null, last_sample_at = null } = server ?? {};
  const since = failing_since ?? (server && isAway(server) ? last_sample_at : null);
  const answers =
    response_time_ms === null ? undefined : `answers in ${formatMilliseconds(response_time_ms)}`;
  return {
    name: 'Status',
    value: state ? <Status mark={state.mark} label={state.label} size={15} /> : null,
    detail: since == null ? answers : <Since at={since} />,
    isDetailed: since != null,
  };
}

function roleFact(server: EstateServer | undefined, at: string | null | undefined): Fact {
  const { role = null } = server ?? {};
  if (!server || role === null) return { name: 'Role', value: null };
  if (isAway(server))
    return {
      name: 'Role',
      value: null,
      because: AWAY,
      detail: <Then words={`was ${role}`} at={at} />,
      isDetailed: true,
    };
  return { name: 'Role', value: role, detail: <Then words={ROLE_DETAIL[role]} at={at} /> };
}

function sizeFact(server: EstateServer | undefined, info: ServerInfo): Fact {
  const sizes = info.databases.flatMap((one) => (one.size_bytes === null ? [] : [one.size_bytes]));
  if (info.databases.length === 0) return { name: 'Size', value: null };
  const unknownSizes = info.databases.length - sizes.length;
  const at = info.sections_collected_at?.databases;
  const size = sizes.length > 0 ? formatBytes(sizes.reduce((sum, one) => sum + one, 0)) : null;
  if (server && isAway(server) && size !== null)
    return { name: 'Size', value: null, because: AWAY, detail: <Then words={`was ${size}`} at={at} /> };
  const unread = unknownSizes > 0 ? `, ${unknownSizes} not readable` : '';
  const words = countOf(info.databases.length, 'database') + unread;
  return { name: 'Size', value: size, detail: <Then words={words} at={at} /> };
}

const FindingsLink = ({ id, count }: { id: number; count: number }) => (
  <Link className="link" to={findingsPath(id)}>
    {countOf(count, 'finding')}
  </Link>
);

function findingsFact(counts: ServerFindingCounts | undefined, { connection_id }: ServerInfo): Fact {
  const name = 'Findings';
  if (counts === undefined) return { name, value: 'not checked yet' };
  const missing = counts.unknown > 0 ? `, ${formatCount(counts.unknown)} not judged` : '';
  return {
    name,
    value: <FindingsLink id={connection_id} count={allOf(counts)} />,
    detail: `${countWords(counts)}${missing}`,
  };
}

function factsOf({ server, info, findings }: StripProps): Fact[] {
  const version = server?.version ?? shortVersion(info.postgresql.version);
  const read = info.sections_collected_at?.postgresql;
  return [
    statusFact(server),
    roleFact(server, read),
    {
      name: 'Version',
      value: version,
      detail: version === null ? undefined : <Then words="PostgreSQL" at={read} />,
    },
    sizeFact(server, info),
    findingsFact(findings, info),
  ];
}

/** Nothing was ever known of it. */
const isBare = ({ value, because }: Fact) => value === null && because === undefined;

export interface StripProps {
  server: EstateServer | undefined;
  info: ServerInfo;
  /** Undefined: it was not judged yet. */
  findings: ServerFindingCounts | undefined;
}

export function SummaryStrip(props: StripProps) {
  return (
    <dl className={classes.strip} aria-label="Summary">
      {factsOf(props).map((fact) => (
        // A dash without a name says nothing to those who see it.
        <div key={fact.name} className={isBare(fact) ? 'visually-hidden' : classes.fact}>
          <dt className="visually-hidden">{fact.name}</dt>
          <dd className={classes.value}>
            {fact.value ?? <Unknown because={fact.because ?? 'Not collected yet'} />}
          </dd>
          {fact.detail === undefined ? null : (
            <dd className={fact.isDetailed ? classes.detail : 'visually-hidden'}>{fact.detail}</dd>
          )}
        </div>
      ))}
    </dl>
  );
}
