// The program as it is run: built of its sources (server/bundle.mjs) when any of them changed, because that starts in half
// the time and takes less memory. Where it cannot be built, it runs from the sources, which do the same.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { ensureBuilt, filesBelow } from './built.mjs';
import { at } from './paths.mjs';

const FROM_SOURCES = at('server', 'src', 'main.mjs');
const SOURCE = /(?<!\.test|\.scene|\.bench)\.m?[jt]s$/;

/** A program that is installed for all users is built by whoever may write there. */
const NOT_OURS = new Set(['EACCES', 'EPERM', 'EROFS']);

/** The file to run, built before if need be. `out`: where progress is shown. */
export async function builtProgram(out) {
  const bundle = at('server', 'bundle.mjs');
  if (!existsSync(at('node_modules', 'rolldown'))) return FROM_SOURCES;
  try {
    await ensureBuilt({
      name: 'the program',
      stamp: at('server', 'dist', '.matriarch-build'),
      inputs: [...filesBelow(at('server', 'src'), (name) => SOURCE.test(name)), bundle],
      args: [bundle],
      cwd: at('server'),
      saying: () => '',
      out,
    });
    return at('server', 'dist', 'main.mjs');
  } catch (error) {
    const sentence = 'Matriarch runs from its sources instead and takes longer to start.';
    if (!NOT_OURS.has(error.code)) process.stderr.write(`${error.message}\n${sentence}\n`);
    return FROM_SOURCES;
  }
}
