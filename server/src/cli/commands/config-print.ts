// matriarch config print: every setting with its value and where it came from. Secrets print as [redacted].
import { type Command, printTable } from '../command.ts';

function show(value: unknown): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}

export const command: Command = {
  path: ['config', 'print'],
  summary: 'Print every setting, its value and where it came from',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const rows = io
      .config()
      .resolved.map(({ setting, value, source }) => ({ key: setting.key, value, source }));
    if (args.flag('json'))
      io.out(
        JSON.stringify(
          rows.map((row) => ({ ...row, value: row.value ?? null })),
          null,
          2,
        ),
      );
    else
      printTable(
        io,
        ['KEY', 'VALUE', 'FROM'],
        rows.map(({ key, value, source }) => [key, show(value), source]),
      );
    return 0;
  },
};
