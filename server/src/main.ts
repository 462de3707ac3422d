// argv → settings → command; nothing else. `start` runs here because it is the only command that builds the app.
import { runMain } from './main-commands.ts';

process.exitCode = await runMain(process.argv.slice(2));
