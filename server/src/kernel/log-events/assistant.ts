// Events of language models, the chat, tools and statements that people and tools run.
import { error, info, warn } from './types.ts';

const PROVIDER = 'Look at `err` and `kind`, and at the settings of the provider.';
const DATASTORE = 'Look at `err`; often the datastore is slow or away.';
const REPORT = 'Report it as a bug with this line and the version.';

export const assistantEvents = {
  'ai_analysis.made': info('A model described the databases of a server.'),
  'ai_analysis.failed': warn('A model did not describe the databases of a server.', PROVIDER),
  'ai_analysis.sign_of_life_failed': warn('The claim on a description could not be renewed.', DATASTORE),
  'overview.made': info('A model summarised the estate.'),
  'overview.failed': warn(
    'A model did not summarise the estate. The page shows it without a model.',
    PROVIDER,
  ),
  'overview.not_stored': warn('A summary of the estate could not be stored.', DATASTORE),
  'overview.sign_of_life_failed': warn('The claim on a summary could not be renewed.', DATASTORE),
  'llm.provider_down': warn('A language model provider does not answer.', PROVIDER),
  'llm.call_not_settled': warn('The cost of a call of a model could not be written down.', DATASTORE),
  'llm.calls_not_purged': warn('Old calls of models could not be deleted. It is tried again.', DATASTORE),
  'chat.failed': warn('A run of the chat failed.', PROVIDER),
  'chat.broken': error(
    'A run of the chat ended by a fault inside Matriarch, or its end was not stored.',
    DATASTORE,
  ),
  'chat.not_stored': warn('Steps of a run of the chat could not be stored yet.', DATASTORE),
  'chat.summary_failed': warn('A model did not shorten a long chat. It was shortened by rules.', PROVIDER),
  'tool.failed': error('A tool ended by a fault inside Matriarch.', REPORT),
  'mcp.failed': error('A call of MCP ended by a fault inside Matriarch.', REPORT),
  'sql.session_kept': warn(
    'The end of a session for datastore queries could not be written down.',
    DATASTORE,
  ),
  'sql.query_role_failed': error(
    'The role for queries on the datastore cannot be used, so the tool is not offered.',
    'Look at `err`: it says what the role lacks.',
  ),
};
