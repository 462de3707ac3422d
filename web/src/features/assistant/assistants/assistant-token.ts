// The token of an assistant: what it may call is chosen here, always below the rights of its owner.
import { call } from '../../../api/client.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';

export type Tool = OperationTypes['listMcpTools']['result']['tools'][number];
export type CreatedToken = OperationTypes['createToken']['result'];

/** What a call of a tool reaches, as the server says. */
export type Reach = NonNullable<Tool['reach']>;

/** A tool of which nothing is said is no tool that only reads. */
export const reachOf = ({ reach = 'beyond' }: Pick<Tool, 'reach'>): Reach => reach;

/** About how many tokens of an assistant's context the description takes: four characters make one. */
export function contextTokens({ name, description, inputSchema }: Tool): number {
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4);
}

export interface AssistantToken {
  owner: string;
  name: string;
  expiresIn: string;
  /** Statements that read on the monitored servers, too. */
  hasSql: boolean;
  tools: readonly Tool[];
}

/** Makes the token and limits it; when the limits are refused, it is revoked again, so that none is wider than asked. */
export async function makeAssistantToken(wanted: AssistantToken): Promise<CreatedToken> {
  const made = await call('createToken', {
    body: { owner_username: wanted.owner, annotation: wanted.name, expires_in: wanted.expiresIn },
  });
  const reaches: readonly Reach[] = wanted.hasSql ? ['stored', 'server'] : ['stored'];
  try {
    await call('setTokenScope', {
      params: { id: made.id },
      body: {
        connections: [{ connection_id: 0, access_level: 'read' }],
        mcp_privileges: wanted.tools
          .filter((tool) => reaches.includes(reachOf(tool)))
          .map(({ name }) => name),
        admin_permissions: [],
      },
    });
  } catch (refused) {
    await call('deleteToken', { params: { id: made.id } });
    throw refused;
  }
  return made;
}

export interface Snippet {
  client: string;
  text: string;
}

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2);

/** What common clients take, with the address and the token filled in. */
export function snippetsOf(url: string, token: string): readonly Snippet[] {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    { client: 'Most clients', text: pretty({ mcpServers: { matriarch: { type: 'http', url, headers } } }) },
    {
      client: 'Claude Code',
      text: `claude mcp add --transport http matriarch ${url} --header "Authorization: Bearer ${token}"`,
    },
    { client: 'VS Code', text: pretty({ servers: { matriarch: { type: 'http', url, headers } } }) },
    {
      client: 'Without the protocol',
      text: `curl -s ${url.replace(/\/mcp\/v1$/, '/api/v1/mcp/tools')} -H "Authorization: Bearer ${token}"`,
    },
  ];
}
