// What other rooms show of the script for log files.
import { logsScript } from './log-script.ts';

/** The SQL that lets the role read log files; a superuser runs it in the database of the connection. */
export const logsScriptFor = (role: string): string => logsScript(role);
