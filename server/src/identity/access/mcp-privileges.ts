// The MCP tools and resources that can be granted; nothing else can be granted or scoped. Ids are on the wire: they
// are never changed and never used again. Whoever takes one out writes a migration that takes it out of grants and
// scopes as well.
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

const granted = (item_type: 'tool' | 'resource', is_public: boolean) => {
  return ([id, identifier, description]: readonly [number, string, string]): McpPrivilege => ({
    id,
    identifier,
    item_type,
    description,
    is_public,
    created_at: FIRST_RELEASE,
  });
};

const TOOLS = [
  [1, 'query_database', 'Run a reading SQL query on a monitored database'],
  [2, 'get_schema_info', 'Read schemas, tables and columns of a monitored database'],
  [3, 'execute_explain', 'Explain the plan of a query'],
  [4, 'count_rows', 'Count the rows of a table'],
  [5, 'similarity_search', 'Search a table by meaning (pgvector)'],
  [6, 'list_probes', 'List what is collected'],
  [7, 'describe_probe', 'Describe the columns of a probe'],
  [8, 'query_metrics', 'Read collected metrics over time'],
  [9, 'query_datastore', 'Query what is stored about the visible connections'],
  [10, 'list_connections', 'List the visible connections'],
  [11, 'get_alert_history', 'Read alerts, active and past'],
  [12, 'get_alert_rules', 'Read alert rules and their thresholds'],
  [13, 'get_metric_baselines', 'Read what is usual for a metric'],
  [14, 'get_blackouts', 'Read blackouts and their schedules'],
  [15, 'get_timeline_events', 'Read what happened to servers'],
  [16, 'generate_embedding', 'Turn text into an embedding'],
  [17, 'search_knowledgebase', 'Search the knowledge base'],
  [18, 'read_resource', 'Read a resource by its address'],
] as const;

const PUBLIC_TOOLS = [
  [19, 'test_query', 'Check that a query is valid without running it'],
  [20, 'store_memory', 'Remember a note'],
  [21, 'recall_memories', 'Find notes'],
  [22, 'delete_memory', 'Forget a note'],
] as const;

const RESOURCES = [
  [23, 'pg://system_info', 'Version and platform of the current connection'],
  [24, 'pg://connection_info', 'Which connection is the current one'],
] as const;

/** Ours, beyond the specified ones. */
const OWN_TOOLS = [
  [25, 'get_load', 'Read what the time of a server goes to'],
  [26, 'get_moment', 'Read everything that is known of one second'],
  [27, 'get_locks', 'Read who blocks whom'],
  [28, 'get_query', 'Read a statement with its plan, waits and trend'],
  [29, 'get_changes', 'Read what changed on servers'],
  [30, 'get_findings', 'Read what is wrong on servers'],
  [31, 'get_coverage', 'Read what is collected of a server, and why something is not'],
  [32, 'get_topology', 'Read which servers replicate to which'],
  [33, 'backtest_rule', 'Try an alert rule on what was collected'],
] as const;

/** By identifier. */
export const MCP_PRIVILEGES: readonly McpPrivilege[] = [
  ...TOOLS.map(granted('tool', false)),
  ...OWN_TOOLS.map(granted('tool', false)),
  ...PUBLIC_TOOLS.map(granted('tool', true)),
  ...RESOURCES.map(granted('resource', false)),
].sort((a, b) => (a.identifier < b.identifier ? -1 : 1));

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
