// What language models have taken: how much of the budget of today is used, and tokens by day, model and, for superusers, person.
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { Result } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { formatCount, formatDollars, percentOf } from '../../../lib/format.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Meter } from '../../../ui/meter.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { TimeAhead } from '../../../ui/relative-time.tsx';
import { useUser } from '../../identity/auth/use-user.ts';
import { providerName } from './model-words.ts';
import classes from './models.module.css';

type Use = Result<'getLlmUsage'>;
type Row = Use['usage'][number];

const READ_MS = 60_000;
/** From this share on it is worth a warning. */
const NEARLY = 80;

const toneOf = (percent: number) => (percent >= 100 ? 'bad' : percent >= NEARLY ? 'warn' : 'plain');

/** Nothing where neither a price nor a limit is set, since what was used costs an unknown amount then. */
function Dollars({ budget }: { budget: Use['budget'] }) {
  const { usd_per_day, used_usd, reserved_usd } = budget;
  if (usd_per_day === null && used_usd === 0 && reserved_usd === 0) return null;
  const percent = percentOf(used_usd + reserved_usd, usd_per_day);
  const held = reserved_usd > 0 ? `, ${formatDollars(reserved_usd)} held for calls under way` : '';
  return (
    <>
      <p>
        {usd_per_day === null
          ? `${formatDollars(used_usd)} spent today${held}; there is no limit.`
          : `${formatDollars(used_usd)} of ${formatDollars(usd_per_day)} spent today${held}.`}
      </p>
      {percent === null ? null : <Meter percent={percent} tone={toneOf(percent)} />}
    </>
  );
}

/** What is reserved for calls under way is not free either. */
function Budget({ budget }: { budget: Use['budget'] }) {
  const { tokens_per_day, used, reserved, begins_anew } = budget;
  const percent = percentOf(used + reserved, tokens_per_day);
  const held = reserved > 0 ? `, ${formatCount(reserved)} held for calls under way` : '';
  return (
    <div className={classes.budget}>
      <p>
        {tokens_per_day === null
          ? `${formatCount(used)} tokens used today${held}; there is no limit.`
          : `${formatCount(used)} of ${formatCount(tokens_per_day)} tokens used today${held}.`}{' '}
        <span className={layout.remark}>
          The day ends at midnight UTC, <TimeAhead at={begins_anew} />.
        </span>
      </p>
      {percent === null ? null : <Meter percent={percent} tone={toneOf(percent)} />}
      <Dollars budget={budget} />
    </div>
  );
}

const nameOf = ({ user_id, username }: Row) =>
  user_id === null ? 'Matriarch itself' : (username ?? `user ${user_id}, deleted`);

/** What is not in the sum is said, since it is not free. */
function costOf({ cost_usd, unpriced_calls }: Row): string {
  if (cost_usd === null) return 'no price set';
  const rest = unpriced_calls > 0 ? ` + ${formatCount(unpriced_calls)} without a price` : '';
  return `${formatDollars(cost_usd)}${rest}`;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'day', title: 'Day (UTC)', render: ({ day }) => day },
  { key: 'model', title: 'Model', width: 'grow', render: ({ model }) => <code>{model}</code> },
  { key: 'provider', title: 'Provider', needs: 'medium', render: ({ provider }) => provider },
  { key: 'calls', title: 'Calls', align: 'end', render: ({ calls }) => formatCount(calls) },
  {
    key: 'input',
    title: 'Tokens sent',
    align: 'end',
    render: ({ input_tokens }) => formatCount(input_tokens),
  },
  {
    key: 'output',
    title: 'Tokens answered',
    align: 'end',
    needs: 'medium',
    render: ({ output_tokens }) => formatCount(output_tokens),
  },
];
const WHO: Column<Row> = { key: 'who', title: 'User', render: nameOf };
/** Only where a price is known of something. */
const COST: Column<Row> = { key: 'cost', title: 'Cost', align: 'end', render: costOf };

function columnsFor(usage: readonly Row[], isAll: boolean): readonly Column<Row>[] {
  const [day, ...rest] = COLUMNS;
  const isPriced = usage.some(({ cost_usd }) => cost_usd !== null);
  return [...(day ? [day] : []), ...(isAll ? [WHO] : []), ...rest, ...(isPriced ? [COST] : [])];
}

export function UsePanel() {
  const isSuperuser = useUser().data?.is_superuser === true;
  const [all, setAll] = useState(false);
  const providers = useOperation('listLlmProviders', {}, { staleMs: 60_000 });
  const isAll = isSuperuser && all;
  const use = useOperation(
    'getLlmUsage',
    { query: isAll ? { all: true } : {} },
    { everyMs: READ_MS, keepPrevious: true },
  );
  // Where no model is configured, and none was, there is nothing to say.
  if (providers.data?.providers.length === 0 && !use.error && (use.data?.usage.length ?? 0) === 0)
    return null;
  return (
    <Panel title="Use" note="the last 30 days">
      <Query query={use} what="the use of language models" lines={3}>
        {({ usage, budget }) => (
          <div className={layout.fields}>
            <Budget budget={budget} />
            {isSuperuser ? (
              <Checkbox
                label="Of all users and of Matriarch itself"
                checked={all}
                onChange={(event) => setAll(event.currentTarget.checked)}
              />
            ) : null}
            {usage.length === 0 ? (
              <p className={layout.remark}>No call of a language model in the last 30 days.</p>
            ) : (
              <DataTable
                caption="Tokens of language models by day"
                columns={columnsFor(usage, isAll)}
                rows={usage.map((row) => ({
                  ...row,
                  provider: providerName(row.provider, providers.data?.providers),
                }))}
                rowKey={({ day, user_id, provider, model }) => `${day} ${user_id} ${provider} ${model}`}
              />
            )}
          </div>
        )}
      </Query>
    </Panel>
  );
}
