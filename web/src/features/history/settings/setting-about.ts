// What a setting says of itself to the chat. Pure. Guards: values go as the server keeps them, with their unit.
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import { flagOf, type Row, textOf } from '../objects/rows.ts';

/** The question that its button asks. */
export function aboutSetting(row: Row): AboutQuestion {
  const name = textOf(row, 'name') ?? '';
  const about = {
    ...{ kind: 'setting', name, value: textOf(row, 'setting'), unit: textOf(row, 'unit') },
    ...{
      default: textOf(row, 'boot_val'),
      source: textOf(row, 'source'),
      changed_by: textOf(row, 'context'),
    },
    ...{ meaning: textOf(row, 'short_desc'), waits_for_restart: flagOf(row, 'pending_restart') },
  };
  return { message: `What does the setting ${name} do, and is its value right for this server?`, about };
}
