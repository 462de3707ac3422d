// The state of a finding, what it means and what to do, and what that brought. Guards: of each figure it is said of when it
// is; a remedy is shown and never run.
import { Link } from 'react-router';
import { momentText, zoneName } from '../../../lib/zone.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type KeyValue, KeyValues } from '../../../ui/key-values.tsx';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import {
  CATEGORY_WORDS,
  effectOf,
  type FindingDetail,
  figureWords,
  PROOF_WORDS,
  placeWords,
  SEVERITY_WORDS,
  STATE_WORDS,
  webAddress,
} from './finding-words.ts';
import classes from './findings.module.css';

const zone = zoneName('local');

const At = ({ at }: { at: string }) => (
  <>
    {momentText(Date.parse(at), zone)}, <RelativeTime at={at} />
  </>
);

function Muted({ mute }: Pick<FindingDetail, 'mute'>) {
  if (mute === null) return null;
  return (
    <>
      until {momentText(Date.parse(mute.muted_until), zone)} by <Name>{mute.muted_by}</Name>,{' '}
      <RelativeTime at={mute.muted_at} />: <Name>{mute.reason}</Name>
    </>
  );
}

function factsOf({ finding, check, mute }: FindingDetail): KeyValue[] {
  const { label, mark } = SEVERITY_WORDS[finding.severity];
  const place = placeWords(finding);
  const figure = figureWords(finding.figure, finding);
  const proof = PROOF_WORDS[finding.proof];
  return [
    {
      name: 'Severity',
      value: <Status mark={mark} label={label} />,
      detail: CATEGORY_WORDS[finding.category],
    },
    { name: 'State', value: STATE_WORDS[finding.state], detail: mute ? <Muted mute={mute} /> : undefined },
    { name: 'Of', value: place === '' ? 'The server as a whole' : <Name>{place}</Name> },
    {
      name: 'Figure',
      value: figure ?? 'It has none',
      detail: (
        <>
          {check.figure_name === null ? null : `${check.figure_name}, `}as of <At at={finding.figured_at} />
        </>
      ),
    },
    {
      name: 'Found',
      value: <At at={finding.opened_at} />,
      detail:
        finding.first_seen_at === finding.opened_at ? undefined : (
          <>
            for the first time <At at={finding.first_seen_at} />
          </>
        ),
    },
    finding.resolved_at === null
      ? { name: 'Last judged', value: <At at={finding.last_seen_at} /> }
      : { name: 'Resolved', value: <At at={finding.resolved_at} /> },
    { name: 'Proof', value: proof.label, detail: proof.meaning, whole: true },
  ];
}

export function FindingSummary({ detail: { finding, check } }: { detail: FindingDetail }) {
  const { label, mark } = SEVERITY_WORDS[finding.severity];
  return (
    <Panel title="What is wrong" note={<Status mark={mark} label={label} />}>
      <div className={classes.text}>
        <p className={classes.lead}>
          <Name>{finding.message}</Name>
        </p>
        <p>{check.meaning}</p>
      </div>
    </Panel>
  );
}

export function FindingFacts({ detail }: { detail: FindingDetail }) {
  return (
    <Panel title="Details">
      <KeyValues items={factsOf(detail)} wide />
    </Panel>
  );
}

const SQL =
  /^\s*(--|alter|analyze|begin|cluster|create|drop|grant|reindex|revoke|select|set|update|vacuum)\b/i;

export function FindingRemedy({ detail: { finding, check, remedy } }: { detail: FindingDetail }) {
  const isSql = SQL.test(remedy);
  const where = finding.database_name === null ? 'on the server' : `in the database ${finding.database_name}`;
  const address = webAddress(check.documentation_url);
  return (
    <Panel title="What to do" note="shown here, never run by Matriarch">
      <div className={classes.text}>
        <p>{check.advice}</p>
        {remedy.trim() === '' ? null : (
          <CodeBlock code={remedy} label={isSql ? `Run ${where}` : 'What to do'} />
        )}
        {check.caution === '' ? null : (
          <>
            <h3 className={classes.heading}>What speaks against it</h3>
            <p>{check.caution}</p>
          </>
        )}
      </div>
      <ul className={classes.links}>
        {address === undefined ? null : (
          <li>
            <a className="link" href={address} target="_blank" rel="noreferrer noopener">
              PostgreSQL’s documentation
            </a>
          </li>
        )}
        <li>
          <Link className="link" to={`/findings?check=${encodeURIComponent(check.name)}`}>
            Others of this check
          </Link>
        </li>
      </ul>
    </Panel>
  );
}

/** What the remedy brought, where the finding is resolved. */
export function FindingEffect({ detail }: { detail: FindingDetail }) {
  const { finding } = detail;
  if (finding.resolved_at === null) return null;
  const effect = effectOf(detail);
  return (
    <Panel title="What it brought" note={<RelativeTime at={finding.resolved_at} />}>
      {effect === undefined ? (
        <p className={classes.remark}>It is not so any more. It has no figure that could be compared.</p>
      ) : (
        <KeyValues
          wide
          items={[
            {
              name: 'Result',
              value: (
                <Status
                  mark={effect.isConfirmed ? 'ok' : 'unknown'}
                  label={effect.isConfirmed ? 'Confirmed' : 'Not confirmed'}
                />
              ),
              detail: effect.isConfirmed
                ? 'The figure moved as promised.'
                : effect.after === undefined
                  ? 'It is resolved, and its figure is unknown.'
                  : 'It is not so any more, and the figure moved less than half of the way.',
              whole: true,
            },
            { name: 'Before', value: effect.before },
            { name: 'Promised', value: effect.promised },
            { name: 'Measured', value: effect.after ?? null },
          ]}
        />
      )}
    </Panel>
  );
}
