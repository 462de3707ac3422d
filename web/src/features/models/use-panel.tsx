// What language models have taken: how much of the budget of today is used, and tokens by day, model and, for superusers, person.
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { Result } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import { formatCount, percentOf } from '../../lib/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { TimeAhead } from '../../ui/relative-time.tsx';
import { useUser } from '../auth/use-user.ts';
import { providerName } from './model-words.ts';
import classes from './models.module.css';

type Use = Result<'getLlmUsage'>;
type Row = Use['usage'][number];

const READ_MS = 60_000;
/** From this share on it is worth a warning. */
const NEARLY = 80;

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
        <span className={classes.remark}>
          The day ends at midnight UTC, <TimeAhead at={begins_anew} />.
        </span>
      </p>
      {percent === null ? null : (
        <Meter percent={percent} tone={percent >= 100 ? 'bad' : percent >= NEARLY ? 'warn' : 'plain'} />
      )}
    </div>
  );
}

const nameOf = ({ user_id, username }: Row) =>
  user_id === null ? 'Matriarch itself' : (username ?? `user ${user_id}, deleted`);

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
          <div className={classes.use}>
            <Budget budget={budget} />
            {isSuperuser ? (
              <Checkbox
                label="Of all users and of Matriarch itself"
                checked={all}
                onChange={(event) => setAll(event.currentTarget.checked)}
              />
            ) : null}
            {usage.length === 0 ? (
              <p className={classes.remark}>No call of a language model in the last 30 days.</p>
            ) : (
              <DataTable
                caption="Tokens of language models by day"
                columns={isAll ? [...COLUMNS.slice(0, 1), WHO, ...COLUMNS.slice(1)] : COLUMNS}
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
