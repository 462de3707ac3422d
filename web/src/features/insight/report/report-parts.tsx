// The parts of a report: what to do next, what happened, what got slower, bigger or worse, what was fixed and what that brought, what
// runs out. Guards: each finding leads to its evidence; texts of servers stay texts; what a server had when it was added is an inventory.
import { type ReactNode, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { HAPPENED_WORDS } from '../../../../../server/src/insight/findings/happened-words.ts';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { exactTime } from '../../../lib/time.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { type Mark, Status } from '../../../ui/status.tsx';
import { type Finding, findingPath, placeWords, SEVERITY_WORDS } from '../findings/finding-words.ts';
import { aheadText, bandText, dateText, KIND_WORDS, type RunwayItem } from '../runway/runway-words.ts';
import { NextSteps } from './next-steps.tsx';
import classes from './report.module.css';
import {
  beforeWords,
  effectWords,
  type Happened,
  inventoryOf,
  leftWords,
  type Mended,
  type Report,
  type Worse,
} from './report-words.ts';

interface PartProps {
  title: string;
  /** What to say where there is nothing. */
  none: string;
  left?: string | undefined;
  children: readonly ReactNode[];
}

function Part({ title, none, left, children }: PartProps) {
  return (
    <Panel title={title} note={left}>
      {children.length === 0 ? (
        <p className={classes.none}>{none}</p>
      ) : (
        <ul className={layout.list} aria-label={title}>
          {children}
        </ul>
      )}
    </Panel>
  );
}

interface EntryProps {
  finding: Finding;
  mark: Mark;
  label: string;
  remark: ReactNode;
}

function Entry({ finding, mark, label, remark }: EntryProps) {
  const place = placeWords(finding);
  return (
    <li className={classes.entry}>
      <Status mark={mark} label={label} iconOnly />
      <div className={classes.words}>
        <Link className={classes.title} to={findingPath(finding.id)}>
          <Name>{finding.message}</Name>
        </Link>
        <p className={classes.remark}>
          <Link className={classes.server} to={`/servers/${finding.connection_id}?tab=findings`}>
            <Name>{finding.server_name}</Name>
          </Link>
          {place === '' ? null : (
            <>
              {' '}
              · <Name>{place}</Name>
            </>
          )}{' '}
          · {remark}
        </p>
      </div>
    </li>
  );
}

const Day = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactTime(at)}>
    {dateText(at)}
  </time>
);

function WorseEntry({ one }: { one: Worse }) {
  const { label, mark } = SEVERITY_WORDS[one.finding.severity];
  const remark = (
    <>
      {label}, {beforeWords(one)}, since <Day at={one.finding.opened_at} />
    </>
  );
  return <Entry finding={one.finding} mark={mark} label={label} remark={remark} />;
}

function FirstEntry({ finding }: { finding: Finding }) {
  const { label, mark } = SEVERITY_WORDS[finding.severity];
  const remark = (
    <>
      {label}, found <Day at={finding.first_seen_at} />
    </>
  );
  return <Entry finding={finding} mark={mark} label={label} remark={remark} />;
}

function HappenedEntry({ one }: { one: Happened }) {
  return (
    <li className={classes.entry}>
      <div className={classes.words}>
        {HAPPENED_WORDS[one.kind]}: <Name>{one.message}</Name>
        <p className={classes.remark}>
          <Link className={classes.server} to={`/servers/${one.connection_id}`}>
            <Name>{one.server_name}</Name>
          </Link>
          {one.database_name === null ? null : (
            <>
              {' '}
              · <Name>{one.database_name}</Name>
            </>
          )}
        </p>
      </div>
    </li>
  );
}

function NotTold({ kind, reason }: Report['not_told'][number]) {
  return (
    <li className={classes.entry}>
      <div className={classes.words}>
        {HAPPENED_WORDS[kind]}: {reason}
      </div>
    </li>
  );
}

function MendedEntry({ one }: { one: Mended }) {
  const { finding } = one;
  const effect = effectWords(one);
  const remark = (
    <>
      resolved <Day at={finding.resolved_at ?? finding.last_seen_at} />
      {effect === undefined ? null : <strong className={classes.effect}>{effect}</strong>}
    </>
  );
  return <Entry finding={finding} mark="ok" label="Resolved" remark={remark} />;
}

function RunsOutEntry({ item, nowSeconds }: { item: RunwayItem; nowSeconds: number }) {
  const name = [item.database_name, item.object_name].filter((one) => one !== null).join(' ');
  const band = bandText(item);
  return (
    <li className={classes.entry}>
      <div className={classes.words}>
        {item.runs_out_at === null ? (
          'At an unknown time'
        ) : (
          <>
            <Day at={item.runs_out_at} />, {aheadText(item.runs_out_at, nowSeconds)}
          </>
        )}
        : {KIND_WORDS[item.kind]}
        {name === '' ? null : (
          <>
            {' '}
            <Name>{name}</Name>
          </>
        )}
        <p className={classes.remark}>
          <Link className={classes.server} to={`/runway?server=${item.connection_id}`}>
            <Name>{item.server_name}</Name>
          </Link>
          {band === undefined ? null : ` · ${band}`}
          {item.limited_by === null ? null : ` · ${item.limited_by}`}
        </p>
      </div>
    </li>
  );
}

const runwayKey = ({ connection_id, kind, database_name, object_name }: RunwayItem) =>
  JSON.stringify([connection_id, kind, database_name, object_name]);

const happenedEntries = (all: readonly Happened[]) =>
  all.map((one) => (
    <HappenedEntry
      key={JSON.stringify([one.kind, one.connection_id, one.database_name, one.message])}
      one={one}
    />
  ));

function Happenings({ report: { happened, happened_total, not_told } }: { report: Report }) {
  return (
    <Part
      title="What happened"
      none="No failover, no restart, no deadlocks, no long lock waits, no dropped indexes, no alerts."
      left={leftWords(happened.length, happened_total)}
    >
      {[
        ...happenedEntries(happened),
        ...not_told.map((one) => <NotTold key={JSON.stringify(one)} {...one} />),
      ]}
    </Part>
  );
}

function Worsened({ report: { declined, declined_total, worse, worse_total } }: { report: Report }) {
  return (
    <Part
      title="What got slower, bigger or worse"
      none="No statement became slower, no database grew much, and no finding became graver or came back."
      left={leftWords(declined.length + worse.length, declined_total + worse_total)}
    >
      {[...happenedEntries(declined), ...worse.map((one) => <WorseEntry key={one.finding.id} one={one} />)]}
    </Part>
  );
}

function Found({ report: { first, first_total } }: { report: Report }) {
  if (first.length === 0) return null;
  return (
    <Part title="What was found for the first time" none="" left={leftWords(first.length, first_total)}>
      {first.map((finding) => (
        <FirstEntry key={finding.id} finding={finding} />
      ))}
    </Part>
  );
}

/** A line for each check, with all of its findings behind it. */
function Inventory({ report: { first_look, first_look_total } }: { report: Report }) {
  if (first_look.length === 0) return null;
  const left = leftWords(first_look.length, first_look_total);
  return (
    <Panel
      title="Inventory"
      note={`${left ?? countOf(first_look_total, 'finding')}, there when the servers were added`}
    >
      <ul className={classes.inventory} aria-label="Inventory">
        {inventoryOf(first_look).map(({ check, title, count, severity }) => (
          <li key={check}>
            <Status {...SEVERITY_WORDS[severity]} iconOnly size={14} />
            <Link className={classes.title} to={`/findings?check=${encodeURIComponent(check)}`}>
              {title}
            </Link>
            {count > 1 ? <span className={classes.remark}>{formatCount(count)}</span> : null}
          </li>
        ))}
      </ul>
      <details className={classes.all}>
        <summary>Each of them</summary>
        <ul className={layout.list} aria-label="Inventory, each finding">
          {first_look.map((finding) => (
            <FirstEntry key={finding.id} finding={finding} />
          ))}
        </ul>
      </details>
    </Panel>
  );
}

export function ReportParts({ report }: { report: Report }) {
  const nowSeconds = useSyncExternalStore(subscribeToSeconds, currentSecond);
  const { mended, mended_total, runs_out } = report;
  return (
    <>
      <NextSteps report={report} />
      <Happenings report={report} />
      <Worsened report={report} />
      <Found report={report} />
      <Part
        title="What was fixed, and what it brought"
        none="Nothing was resolved in this time."
        left={leftWords(mended.length, mended_total)}
      >
        {mended.map((one) => (
          <MendedEntry key={one.finding.id} one={one} />
        ))}
      </Part>
      <Part
        title="What runs out"
        none="Nothing is forecast to run out. See Runway for what could not be forecast."
      >
        {runs_out.map((item) => (
          <RunsOutEntry key={runwayKey(item)} item={item} nowSeconds={nowSeconds} />
        ))}
      </Part>
      <Inventory report={report} />
    </>
  );
}
