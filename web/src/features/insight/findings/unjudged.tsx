// What could not be judged, each with its reason and what mends it; and of when the rest is. Guards: silence is never taken
// for health: what nobody judged is said.
import { type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { type ApiError, isOutage } from '../../../api/client.ts';
import { countOf } from '../../../lib/format.ts';
import { clockTime } from '../../../lib/time.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { StaleIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { RequestId } from '../../../ui/states.tsx';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { findingsPath, useFindingCounts } from '../finding-counts/use-finding-counts.ts';
import { type Reason, reasonsOf, type UnknownCheck } from './finding-words.ts';
import classes from './findings.module.css';

const SQL = /^(grant|create|alter|set|drop|analyze|vacuum|select) /im;

/** More titles than that are folded away. */
const SHOWN = 3;

function Titles({ titles }: { titles: readonly string[] }) {
  const rest = titles.slice(SHOWN);
  return (
    <>
      <p className={classes.remark}>
        {countOf(titles.length, 'check')}: {titles.slice(0, SHOWN).join(' · ')}
      </p>
      {rest.length > 0 ? (
        <details className={classes.remark}>
          <summary>{countOf(rest.length, 'more check')}</summary>
          {rest.join(' · ')}
        </details>
      ) : null}
    </>
  );
}

function OneReason({ reason: { because, mend, databases, titles } }: { reason: Reason }) {
  const where = databases.length === 0 ? '' : ` in ${databases.slice(0, SHOWN).join(', ')}`;
  const others = databases.length > SHOWN ? ` and ${countOf(databases.length - SHOWN, 'other')}` : '';
  return (
    <li>
      <p className={classes.reason}>{because}</p>
      <Titles titles={titles} />
      {mend === null ? null : (
        <CodeBlock code={mend} label={SQL.test(mend) ? `Run this to fix it${where}${others}` : 'Fix'} />
      )}
    </li>
  );
}

/** Below the findings, and folded: it is read after them. */
function Folded({ note, children }: { note: string; children: ReactNode }) {
  return (
    <section aria-label="Not judged">
      <details className={classes.folded}>
        <summary>
          <h2>Not judged</h2>
          <span className={classes.remark}>{note}</span>
        </summary>
        <div>{children}</div>
      </details>
    </section>
  );
}

/** Nothing where all could be judged. */
export function Unjudged({ unknown }: { unknown: readonly UnknownCheck[] }) {
  const reasons = useMemo(() => reasonsOf(unknown), [unknown]);
  if (reasons.length === 0) return null;
  const checks = new Set(unknown.map(({ check }) => check)).size;
  return (
    <Folded note={`${countOf(checks, 'check')}, biggest fixes first`}>
      <ul className={classes.unknown}>
        {reasons.map((reason) => (
          <OneReason key={`${reason.because}\n${reason.mend ?? ''}`} reason={reason} />
        ))}
      </ul>
    </Folded>
  );
}

/** The servers on which something could not be judged, with the way to the reasons. */
export function UnjudgedServers({ ids }: { ids?: readonly number[] }) {
  const counts = useFindingCounts().data?.by_server ?? {};
  const servers = (useEstate().data?.servers ?? []).flatMap(({ connection_id: id, name }) => {
    const unknown = counts[id]?.unknown ?? 0;
    return unknown > 0 && (ids === undefined || ids.includes(id)) ? [{ id, name, unknown }] : [];
  });
  if (servers.length === 0) return null;
  return (
    <Folded
      note={`on ${countOf(servers.length, 'server')}, most first; see the reasons on the page of each server`}
    >
      <ul className={classes.servers}>
        {servers
          .toSorted((a, b) => b.unknown - a.unknown || a.name.localeCompare(b.name))
          .map(({ id, name, unknown }) => (
            <li key={id}>
              <Link className="link" to={findingsPath(id)}>
                <Name>{name}</Name>
              </Link>
              <span className={classes.remark}>{countOf(unknown, 'judgement')} missing</span>
            </li>
          ))}
      </ul>
    </Folded>
  );
}

interface Read {
  data: unknown;
  error: ApiError | null;
  dataUpdatedAt: number;
}

/** Says from when the figures are while the datastore is away. */
export function StandsStill({ query: { data, error, dataUpdatedAt } }: { query: Read }) {
  // That Matriarch itself is away is said for the whole page.
  if (data === undefined || !error || !isOutage(error) || error.status === 0) return null;
  return (
    <Notice tone="warn" role="status" icon={<StaleIcon size={16} />}>
      Findings are not updated since {clockTime(dataUpdatedAt)}: {error.message}
      <RequestId error={error} />
    </Notice>
  );
}
