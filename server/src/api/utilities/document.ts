// The API's description of itself: title, version and areas. What stands in it comes from the contracts.
import type { Operation } from '../../kernel/contract.ts';
import { openapiDocument } from '../../kernel/openapi.ts';
import { getOpenapi } from './utilities.contract.ts';

/** Value of the Link header that leads every client to the description. */
export const DESCRIPTION_LINK = `<${getOpenapi.path}>; rel="service-desc"`;

/** Version of the interface, by semantic versioning; a breaking change is a new path prefix. */
const API_VERSION = '1.0.0';

const DESCRIPTION = [
  'REST API of Matriarch, a monitor for PostgreSQL servers.',
  'Every error is {"error": "<one plain sentence>"}.',
  'A member that is required and nullable is always there and may be null; one that is not required may be absent.',
  'x-access says who may call an operation: public; signed-in (any session or API token); session (no API tokens);',
  'connection, the parameter or body member that names it, with need read, read_write or manage (the owner, or',
  'manage_connections with any access); permission, an admin permission; visible, the answer is cut to what the',
  'caller may see; tool, the member that names a tool, which the answer refuses. x-extra marks operations beyond the common set, x-notes what schemas cannot say.',
].join(' ');

const TAGS = [
  { name: 'server-info', description: 'Server information and AI analysis' },
  { name: 'auth', description: 'Authentication and capabilities' },
  { name: 'connections', description: 'Monitored connections' },
  { name: 'clusters', description: 'Clusters, members and relationships' },
  { name: 'cluster-groups', description: 'Groups of clusters' },
  { name: 'alerts', description: 'Alerts' },
  { name: 'findings', description: 'Findings: what is wrong on servers, with evidence and remedy' },
  { name: 'answers', description: 'Questions about a server, answered by rules' },
  { name: 'runway', description: 'Runway: what runs out on servers, and when' },
  { name: 'alert-rules', description: 'Built-in alert rules' },
  { name: 'alert-overrides', description: 'Rule overrides by scope' },
  { name: 'blackouts', description: 'Blackout windows' },
  { name: 'blackout-schedules', description: 'Recurring blackouts' },
  { name: 'notification-channels', description: 'Notification channels and recipients' },
  { name: 'report-schedules', description: 'Reports of findings by email on a schedule' },
  { name: 'channel-overrides', description: 'Channel overrides by scope' },
  { name: 'probe-configs', description: 'Probe configuration' },
  { name: 'probe-overrides', description: 'Probe overrides by scope' },
  { name: 'log-searches', description: 'Saved searches of logs' },
  { name: 'metrics', description: 'Metrics' },
  { name: 'timeline', description: 'What happened to servers' },
  { name: 'overview', description: 'What is going on, in a few sentences' },
  { name: 'chat', description: 'Chat history' },
  { name: 'conversations', description: 'Conversations with a model' },
  { name: 'memories', description: 'What assistants remember' },
  { name: 'rbac', description: 'Users, groups, privileges and tokens' },
  { name: 'llm', description: 'LLM proxy' },
  { name: 'mcp', description: 'Tools for assistants (Model Context Protocol)' },
  { name: 'utilities', description: 'Utilities and discovery' },
] as const;

/** The document as JSON text, as served and as committed. */
export function apiDocument(operations: readonly Operation[], base_path?: string): string {
  const document = openapiDocument({
    title: 'Matriarch API',
    version: API_VERSION,
    description: DESCRIPTION,
    contact: { name: 'Matriarch' },
    tags: TAGS,
    operations,
    base_path,
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}
