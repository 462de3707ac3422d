// What the log of a server says around an instant. Guards: what is not known is null and has its reason.
import { LogEvent, WEIGHTS } from '../../estate/server-logs/log-events.schemas.ts';
import {
  boolean,
  component,
  integer,
  list,
  nullable,
  object,
  oneOf,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const MomentLogs = component('MomentLogs', {
  as_of: nullable(timestamp({ description: 'Up to when the log of this time is known; null: it is not.' })),
  reason: nullable(text({ description: 'Why it is not known, or what is lacking of it.' })),
  start_time: timestamp({
    description:
      'Of events: ten seconds before the instant; of now, of the newest 20 seconds that were read.',
  }),
  end_time: timestamp({ description: '20 seconds later, or less where is_cut is true.' }),
  counted_from: timestamp({ description: 'Of counts, which are of whole minutes.' }),
  counted_to: timestamp(),
  classes: nullable(
    list(object({ class: text(), title: text(), weight: oneOf(WEIGHTS), events: integer() }), {
      description: 'All events of these minutes: what matters first, then the most frequent.',
    }),
  ),
  events: nullable(
    list(LogEvent, {
      description: 'Those kept with masked texts, oldest first; null without the permission read_logs, too.',
    }),
  ),
  is_cut: boolean({
    description:
      'There are more than 100: start_time and end_time are closer together, or the newest are listed.',
  }),
  events_reason: nullable(text({ description: 'Why texts are not in the answer.' })),
});
