// The verdict: the few facts one looks for first, always in the same place.
import type { ReactNode } from 'react';
import type { EstateServer, ServerInfo } from '../../api/types.ts';
import { countOf, formatBytes, formatMilliseconds } from '../../lib/format.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import { stateOf } from '../estate/server-state.ts';
import classes from './verdict-strip.module.css';

interface Fact {
  name: string;
  value: ReactNode;
  detail?: ReactNode;
}

/** "PostgreSQL 18.4 on x86_64…" → "18.4". */
function shortVersion(version: string | null): string | null {
  if (version === null) return null;
  return /^PostgreSQL (\S+)/.exec(version)?.[1] ?? version;
}

const ROLE_DETAIL = { primary: 'takes writes', standby: 'replays another server' } as const;

function factsOf(server: EstateServer | undefined, info: ServerInfo): Fact[] {
  const sizes = info.databases.flatMap((one) => (one.size_bytes === null ? [] : [one.size_bytes]));
  const unknownSizes = info.databases.length - sizes.length;
  const unread = unknownSizes > 0 ? `, ${unknownSizes} not readable` : '';
  const state = server ? stateOf(server) : undefined;
  const version = server?.version ?? shortVersion(info.postgresql.version);
  const sampled = server?.last_sample_at ?? info.collected_at;
  return [
    {
      name: 'Status',
      value: state ? <Status mark={state.mark} label={state.label} size={18} /> : null,
      detail:
        server?.response_time_ms == null
          ? undefined
          : `answers in ${formatMilliseconds(server.response_time_ms)}`,
    },
    {
      name: 'Version',
      value: version,
      detail: version === null ? undefined : 'PostgreSQL',
    },
    {
      name: 'Role',
      value: server?.role ?? null,
      detail: server?.role ? ROLE_DETAIL[server.role] : undefined,
    },
    {
      name: 'Size',
      value: sizes.length > 0 ? formatBytes(sizes.reduce((sum, size) => sum + size, 0)) : null,
      detail: info.databases.length > 0 ? countOf(info.databases.length, 'database') + unread : undefined,
    },
    {
      name: 'Last sample',
      value: sampled === null ? null : <RelativeTime at={sampled} />,
      detail:
        info.collected_at === null ? undefined : (
          <>
            facts <RelativeTime at={info.collected_at} />
          </>
        ),
    },
  ];
}

export function VerdictStrip({ server, info }: { server: EstateServer | undefined; info: ServerInfo }) {
  return (
    <dl className={classes.strip} aria-label="Verdict">
      {factsOf(server, info).map((fact) => (
        <div key={fact.name} className={classes.fact}>
          <dt className={classes.name}>{fact.name}</dt>
          <dd className={classes.value}>{fact.value ?? <Unknown because="Not collected yet" />}</dd>
          <dd className={classes.detail}>{fact.detail ?? '\u00a0'}</dd>
        </div>
      ))}
    </dl>
  );
}
