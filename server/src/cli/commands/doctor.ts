// matriarch doctor: says what is not well and what mends it; exit code 1 when something has failed.
import { examine, type Finding } from '../../areas/estate/doctor.service.ts';
import { readKeyFile } from '../../areas/secrets/key-file.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type CliIo, type Command, commandCtx } from '../command.ts';

const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;

async function examineKey(io: CliIo): Promise<Finding> {
  const file = io.config().secret_key_file;
  const subject = 'secret key';
  try {
    const found = await readKeyFile(file);
    return found
      ? {
          status: 'ok',
          subject,
          message: `${file} is private and holds a key. Back it up apart from the datastore.`,
          mend: null,
        }
      : {
          status: 'warning',
          subject,
          message: `${file} does not exist yet; the first start makes it.`,
          mend: 'matriarch start',
        };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { status: 'failed', subject, message: error.message, mend: null };
  }
}

export const doctor: Command = {
  path: ['doctor'],
  summary: 'Look over the installation and every monitored server',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const findings = [await examineKey(io), ...(await examine(await commandCtx(io)))];
    if (args.flag('json')) io.out(JSON.stringify({ findings }, null, 2));
    else
      for (const { status, subject, message, mend } of findings) {
        const text = `${subject}: ${message}`.replace(/\p{Cc}|\p{Bidi_Control}/gu, '?');
        io.out(`${MARKS[status]} ${text}`);
        if (mend !== null) io.out(`    ${mend.replaceAll('\n', '\n    ')}`);
      }
    return findings.some(({ status }) => status === 'failed') ? 1 : 0;
  },
};
