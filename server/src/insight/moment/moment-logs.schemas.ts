// What the log of a server says around an instant. Guards: what is not known is null and has its reason.
import { LogEvent, WEIGHTS } from '../../estate/server-logs/log-events.schemas.ts';
import * as s from '../../kernel/schema.ts';

export const MomentLogs = s.component('MomentLogs', {
  as_of: s.nullable(
    s.timestamp({ description: 'Up to when the log of this time is known; null: it is not.' }),
  ),
  reason: s.nullable(s.text({ description: 'Why it is not known, or what is lacking of it.' })),
  start_time: s.timestamp({
    description:
      'Of events: ten seconds before the instant; of now, of the newest 20 seconds that were read.',
  }),
  end_time: s.timestamp({ description: '20 seconds later, or less where is_cut is true.' }),
  counted_from: s.timestamp({ description: 'Of counts, which are of whole minutes.' }),
  counted_to: s.timestamp(),
  classes: s.nullable(
    s.list(s.object({ class: s.text(), title: s.text(), weight: s.oneOf(WEIGHTS), events: s.integer() }), {
      description: 'All events of these minutes: what matters first, then the most frequent.',
    }),
  ),
  events: s.nullable(
    s.list(LogEvent, {
      description: 'Those kept with masked texts, oldest first; null without the permission read_logs, too.',
    }),
  ),
  is_cut: s.boolean({
    description:
      'There are more than 100: start_time and end_time are closer together, or the newest are listed.',
  }),
  events_reason: s.nullable(s.text({ description: 'Why texts are not in the answer.' })),
});
