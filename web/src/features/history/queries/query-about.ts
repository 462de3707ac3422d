// What a statement says of itself to the chat: its text without constants, and its figures over the window, beside those of the
// window that the page compares with. Pure.
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import type { QueryDetail } from './query-detail.ts';

/** The question that its button asks. */
export function aboutStatement(detail: QueryDetail): AboutQuestion {
  const { connection_id, queryid, query, figures, waits, places } = detail;
  const { start_time, end_time, compared_start_time } = detail;
  const comparedEnd = Date.parse(compared_start_time) + Date.parse(end_time) - Date.parse(start_time);
  const about = {
    ...{ kind: 'statement', connection_id, queryid, text: query },
    window: { start: start_time, end: end_time },
    compared_window: { start: compared_start_time, end: new Date(comparedEnd).toISOString() },
    figures: figures.map(({ metric, unit, total, per_second, compared_total }) => ({
      metric,
      unit,
      total,
      per_second,
      compared_total,
    })),
    databases: [...new Set(places.map(({ database_name }) => database_name))],
    waits: waits.events.slice(0, 10),
  };
  return {
    message: `What does the statement ${queryid} do, what does it cost, and how could it be made cheaper?`,
    about,
  };
}
