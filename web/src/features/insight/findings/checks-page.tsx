// The checks: what each looks for, how well it proves it, and what came of what it found.
import { Link } from 'react-router';
import { countOf, formatCount } from '../../../lib/format.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { SearchIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { CATEGORY_WORDS, type CheckScore, PROOF_WORDS } from './finding-words.ts';
import classes from './findings.module.css';
import { useChecks } from './use-findings.ts';

const pathOf = ({ check }: CheckScore, state = ''): string =>
  `/findings?${new URLSearchParams({ check: check.name, ...(state && { state }) })}`;

/** As many as there are, with the way to them. */
function Count({ score, state }: { score: CheckScore; state: 'open' | 'resolved' }) {
  const count = score[state];
  if (count === 0) return '0';
  return (
    <Link className={classes.count} to={pathOf(score, state === 'open' ? '' : state)}>
      {formatCount(count)}{' '}
      <span className="visually-hidden">
        {state} of {score.check.title}
      </span>
    </Link>
  );
}

const figureOf = (figure: number | null, { figure_unit }: CheckScore) =>
  formatValue(figure, figure_unit ?? '');

function Brought({ score }: { score: CheckScore }) {
  if (score.confirmed === 0) return <Unknown because="None was confirmed yet" />;
  const measured = figureOf(score.measured, score);
  const promised = figureOf(score.promised, score);
  return (
    <>
      {measured ?? <Unknown />}
      {promised === undefined ? null : <div className={classes.remark}>of {promised} promised</div>}
    </>
  );
}

const CATEGORIES = Object.keys(CATEGORY_WORDS);

const COLUMNS: readonly Column<CheckScore>[] = [
  {
    key: 'check',
    title: 'Check',
    width: 'half',
    render: (score) => (
      <div className={classes.check}>
        <Link className={classes.title} to={pathOf(score)} data-row-link>
          <strong>{score.check.title}</strong>
        </Link>
        <span className={classes.remark}>{score.check.meaning}</span>
        <span className={`${classes.remark} ${layout.narrow}`}>
          {CATEGORY_WORDS[score.check.category]} · {PROOF_WORDS[score.check.proof].label.toLowerCase()}
          {score.resolved === 0
            ? null
            : ` · ${countOf(score.confirmed, 'confirmed', 'confirmed')} of ${score.resolved} resolved`}
        </span>
      </div>
    ),
  },
  {
    key: 'category',
    title: 'Category',
    needs: 'medium',
    width: 'min',
    render: ({ check }) => CATEGORY_WORDS[check.category],
  },
  {
    key: 'proof',
    title: 'Proof',
    needs: 'medium',
    width: 'min',
    render: ({ check }) => (
      <span title={PROOF_WORDS[check.proof].meaning}>{PROOF_WORDS[check.proof].label}</span>
    ),
  },
  {
    key: 'open',
    title: 'Open',
    align: 'end',
    width: 'min',
    render: (score) => <Count score={score} state="open" />,
  },
  {
    key: 'resolved',
    title: 'Resolved',
    align: 'end',
    needs: 'medium',
    width: 'min',
    render: (score) => <Count score={score} state="resolved" />,
  },
  {
    key: 'confirmed',
    title: 'Confirmed',
    hint: 'Resolved, and the figure moved as promised',
    align: 'end',
    needs: 'medium',
    width: 'min',
    render: ({ confirmed }) => formatCount(confirmed),
  },
  {
    key: 'brought',
    title: 'Brought',
    hint: 'By how much the figures of the confirmed went down',
    align: 'end',
    needs: 'wide',
    width: 'min',
    render: (score) => <Brought score={score} />,
  },
];

const fits = ({ check }: CheckScore, search: string): boolean => {
  const text = [check.title, check.meaning, check.name, CATEGORY_WORDS[check.category]]
    .join('\n')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

function Checks({ scores }: { scores: readonly CheckScore[] }) {
  const [search, setSearch] = useUrlText('q');
  const found = scores
    .filter((score) => fits(score, search))
    .toSorted(
      (a, b) =>
        CATEGORIES.indexOf(a.check.category) - CATEGORIES.indexOf(b.check.category) ||
        a.check.title.localeCompare(b.check.title),
    );
  return (
    <>
      <div className={classes.tools}>
        <SearchField label="Search checks" value={search} onChange={setSearch} />
        <span className={classes.remark} role="status">
          {search ? `${found.length} of ${countOf(scores.length, 'check')}` : null}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState icon={<SearchIcon size={26} />} title="No check matches">
          Title, meaning, name and category are searched.
        </EmptyState>
      ) : (
        <DataTable
          caption="Checks, by category"
          columns={COLUMNS}
          rows={found}
          rowKey={({ check }) => check.name}
          rowPath={(score) => pathOf(score)}
        />
      )}
    </>
  );
}

export function ChecksPage() {
  const checks = useChecks();
  return (
    <>
      <PageHeader title="Checks" facts={checks.data ? countOf(checks.data.length, 'check') : '\u00a0'} />
      <div className={layout.stack}>
        <Panel title="What is looked for" note="and what came of it, on the servers that you see" flush>
          <Query query={checks} what="the checks" lines={8} padded>
            {(scores) => <Checks scores={scores} />}
          </Query>
        </Panel>
        <Panel title="How well something is proven">
          <dl className={classes.proofs}>
            {Object.values(PROOF_WORDS).map(({ label, meaning }) => (
              <div key={label} className={classes.line}>
                <dt>
                  <strong>{label}</strong>
                </dt>
                <dd className={classes.reason}>{meaning}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </div>
    </>
  );
}
