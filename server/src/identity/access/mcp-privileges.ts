// The MCP tools and resources that can be granted; nothing else can be granted or scoped. Each tool declares its own privilege
// (assistant/tools). A tool that is removed takes a migration that removes its privilege from grants and scopes.
import { PRIVILEGES } from './mcp-privileges.gen.ts';

export interface McpPrivilege {
  id: number;
  identifier: string;
  item_type: 'tool' | 'resource' | 'prompt';
  description: string;
  /** Needs no grant; a token's scope limits it all the same. */
  is_public: boolean;
  created_at: string;
}

const FIRST_RELEASE = '2026-11-20T00:00:00.000Z';

/** By identifier. */
export const MCP_PRIVILEGES: readonly McpPrivilege[] = PRIVILEGES.map((one) => ({
  ...one,
  created_at: FIRST_RELEASE,
})).sort((a, b) => (a.identifier < b.identifier ? -1 : 1));

/** How the grant of everything looks among the others. */
const EVERY_MCP_PRIVILEGE: McpPrivilege = {
  id: -1,
  identifier: '*',
  item_type: 'tool',
  description: 'Every tool and resource, those to come too',
  is_public: false,
  created_at: FIRST_RELEASE,
};

const byIdentifier = new Map([EVERY_MCP_PRIVILEGE, ...MCP_PRIVILEGES].map((one) => [one.identifier, one]));

/** The privilege of that identifier or `*`; undefined when this version knows none. */
export function mcpPrivilege(identifier: string): McpPrivilege | undefined {
  return byIdentifier.get(identifier);
}
