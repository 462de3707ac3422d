// Whether the port that the server will ask for is free, found before minutes of installing and building. Guards: what is
// not known here (a settings file, several addresses, a port that may not be listened on) is left to the server, whose word is final.
import { createServer } from 'node:net';

/** A flag wins over the variable, as in the server. */
function setting(name, { args, env }) {
  const flag = `--${name}`;
  const index = args.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (index < 0) return env[`MATRIARCH_${name.toUpperCase()}`];
  return args[index] === flag ? args[index + 1] : args[index].slice(flag.length + 1);
}

/** Where the server will listen; undefined when that is not known without reading more. */
export function wantedPlace(given) {
  const { args, env } = given;
  const isHelp = args.some((arg) => arg === '--help' || arg === '-h');
  const isInFile = setting('config', given) !== undefined && setting('port', given) === undefined;
  const isServed = (setting('roles', given) ?? 'api').split(',').some((role) => role.trim() === 'api');
  const port = Number(setting('port', { args, env }) ?? 8080);
  if (isHelp || isInFile || !isServed || !Number.isInteger(port) || port < 1 || port > 65535)
    return undefined;
  return { host: setting('host', given) ?? '127.0.0.1', port };
}

function isTaken({ host, port }) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }) => resolve(code === 'EADDRINUSE'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(false)));
  });
}

/** What to say when another program has the port; undefined when it is free or not known. */
export async function portProblem(given) {
  const place = wantedPlace(given);
  if (!place || !(await isTaken(place))) return undefined;
  const { host, port } = place;
  return `Port ${port} on ${host} is taken by another program. Choose another with npm start -- --port, or 0 for any.`;
}
