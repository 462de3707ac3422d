// What a finding says of itself to the chat. Pure.
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import type { FindingDetail } from './finding-words.ts';

/** The question that its button asks, of the server that it is about. */
export function aboutFinding({
  finding,
  evidence,
  remedy,
  check: { advice },
  mute,
}: FindingDetail): AboutQuestion {
  const { id, title, message, check, category, severity, state, proof, connection_id, server_name } = finding;
  const about = {
    ...{ kind: 'finding', finding_id: id, title, message, check, category, severity, state, proof },
    ...{ connection_id, server: server_name },
    ...{ database: finding.database_name, object: finding.object_name },
    ...{ figure: finding.figure, unit: finding.figure_unit, figured_at: finding.figured_at },
    ...{ evidence, advice, remedy, muted_because: mute?.reason },
  };
  return {
    message: `What does the finding “${title}” mean for this server, how sure is it, and what should I do?`,
    about,
    scope: { kind: 'server', id: connection_id },
  };
}
