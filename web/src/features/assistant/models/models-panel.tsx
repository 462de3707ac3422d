// Which language models are configured, and whether their providers answer.
import { useOperation } from '../../../api/use-operation.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { AiIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { type Health, type Provider, stateOf } from './model-words.ts';
import classes from './models.module.css';

const columnsOf = (health: Health | undefined): readonly Column<Provider>[] => [
  {
    key: 'name',
    title: 'Provider',
    width: 'grow',
    render: (provider) => (
      <>
        {provider.display_name} {provider.default ? <span className={layout.remark}>default</span> : null}
      </>
    ),
  },
  { key: 'model', title: 'Model', width: 'half', render: ({ model }) => <code>{model}</code> },
  {
    key: 'state',
    title: 'State',
    width: 'state',
    render: ({ name }) => {
      const { mark, label } = stateOf(health?.providers[name]);
      return <Status mark={mark} label={label} />;
    },
  },
];

function NoModel() {
  return (
    <EmptyState icon={<AiIcon size={26} />} title="No model is configured">
      Overviews and answers are written by rules, and nothing is sent to a model. Set{' '}
      <code>llm.ollama.base_url</code> for a model of your own, or <code>llm.anthropic.api_key</code>,{' '}
      <code>llm.gemini.api_key</code> or <code>llm.openai.api_key</code>.
    </EmptyState>
  );
}

export function ModelsPanel() {
  const providers = useOperation('listLlmProviders', {}, { staleMs: 60_000 });
  const hasAny = (providers.data?.providers.length ?? 0) > 0;
  const health = useOperation('getLlmHealth', {}, { everyMs: 60_000, enabled: hasAny });
  return (
    <Panel title="Models" note="set in the configuration of the server" flush>
      {health.error ? (
        <div className={classes.notice}>
          <Notice tone="warn" role="status">
            {health.error.message}
          </Notice>
        </div>
      ) : null}
      <Query query={providers} what="the models" lines={2} padded>
        {({ providers: rows }) =>
          rows.length === 0 ? (
            <NoModel />
          ) : (
            <DataTable
              caption="Configured providers of language models"
              columns={columnsOf(health.error ? undefined : health.data)}
              rows={rows}
              rowKey={({ name }) => name}
            />
          )
        }
      </Query>
    </Panel>
  );
}
