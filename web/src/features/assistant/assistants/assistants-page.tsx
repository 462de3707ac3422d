// How an assistant is connected: the address, a token of its own, what to paste into common clients, and the tools.
import { useState } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { withBase } from '../../../lib/base-path.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { useSignInOptions } from '../../identity/auth/use-sign-in-options.ts';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import {
  type CreatedToken,
  contextTokens,
  type Reach,
  reachOf,
  snippetsOf,
  type Tool,
} from './assistant-token.ts';
import classes from './assistants.module.css';
import { TokenForm } from './token-form.tsx';

const REACH_WORDS: Record<Reach, string> = {
  stored: 'What was collected',
  server: 'Reads on the monitored server',
  beyond: 'Changes memories, or sends texts to a provider',
};

const COLUMNS: readonly Column<Tool>[] = [
  {
    key: 'name',
    title: 'Tool',
    width: 'half',
    render: (tool) => (
      <div className={classes.tool}>
        <code>{tool.name}</code>
        <div className={layout.remark}>{tool.compactDescription ?? tool.description}</div>
      </div>
    ),
  },
  { key: 'reach', title: 'A call reads', needs: 'medium', render: (tool) => REACH_WORDS[reachOf(tool)] },
  {
    key: 'cost',
    title: 'Context',
    hint: 'About how many tokens its description takes of the context of a model; four characters are counted as one',
    align: 'end',
    width: 'min',
    render: (tool) => `≈ ${formatCount(contextTokens(tool))} tokens`,
  },
];

function Made({ token }: { token: CreatedToken }) {
  return (
    <div className={classes.form}>
      <Notice tone="warn" role="status">
        Copy it now: only its hash is kept, so it cannot be shown again. The snippets below contain it.
      </Notice>
      <CodeBlock code={token.token} label={`Token of ${token.owner}`} />
    </div>
  );
}

function NoRight() {
  return (
    <p className={layout.remark}>
      Ask an administrator for a token; the right to manage token scopes is needed to make one.
    </p>
  );
}

/** There where clients can sign in without a token of ours. */
function ProviderSignIn() {
  const { data } = useSignInOptions();
  const labels = data?.providers.filter(({ opens_mcp }) => opens_mcp).map(({ label }) => label) ?? [];
  if (labels.length === 0) return null;
  return (
    <p className={layout.remark}>
      A client that supports OAuth needs this address only: it opens a browser to sign in with{' '}
      {labels.join(' or ')}, and acts with all your rights.
    </p>
  );
}

export function AssistantsPage() {
  const user = useUser().data;
  const tools = useOperation('listMcpTools', {}, { staleMs: 60_000 });
  const [made, setMade] = useState<CreatedToken>();
  const url = `${window.location.origin}${withBase('/mcp/v1')}`;
  const all = tools.data?.tools;
  return (
    <>
      <PageHeader
        title="Assistants"
        facts="Let an assistant look into what Matriarch knows, through the Model Context Protocol"
      />
      <div className={classes.panels}>
        <Panel title="Address" note="Streamable HTTP, one POST for each message">
          <div className={classes.form}>
            <CodeBlock code={url} label="Address of the MCP server" />
            <ProviderSignIn />
          </div>
        </Panel>
        <Panel
          title="Token"
          note="a ceiling over your own rights"
          {...(mayUse(user, 'manage_token_scopes') && {
            actions: (
              <Link className="link" to="/admin/tokens">
                All tokens
              </Link>
            ),
          })}
        >
          {made ? (
            <Made token={made} />
          ) : mayUse(user, 'manage_token_scopes') ? (
            <TokenForm tools={all ?? []} onMade={setMade} />
          ) : (
            <NoRight />
          )}
        </Panel>
        <Panel title="Client" note="with the token in place of mat_…">
          <div className={classes.form}>
            {snippetsOf(url, made?.token ?? 'mat_…').map(({ client, text }) => (
              <CodeBlock key={client} code={text} label={client} />
            ))}
          </div>
        </Panel>
        <Panel title="Tools" note={all ? `${countOf(all.length, 'tool')} that you may call` : '\u00a0'} flush>
          <Query query={tools} what="the tools" lines={6} padded>
            {({ tools: rows }) => (
              <DataTable
                caption="Tools that an assistant can call with your rights"
                columns={COLUMNS}
                rows={rows}
                rowKey={({ name }) => name}
              />
            )}
          </Query>
        </Panel>
      </div>
    </>
  );
}
