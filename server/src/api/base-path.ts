// A path below a host under which browsers reach the server, such as /matriarch of https://example.com/matriarch. Guards: requests are
// served with and without it, so that a proxy may pass it on or take it away; cookies go to nothing else on that host.
import type { FastifyInstance } from 'fastify';
import { METADATA_PATH } from '../identity/oidc/provider-tokens.ts';
import { UsageError } from '../kernel/errors.ts';

/** "/matriarch" of https://example.com/matriarch/; empty where the server has the host to itself. */
export function basePathOf(public_url: string | undefined): string {
  if (public_url === undefined) return '';
  const { pathname, search, hash } = new URL(public_url);
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  if (search !== '' || hash !== '' || !/^(?:\/[A-Za-z0-9._~-]+)*$/.test(path))
    throw new UsageError(
      `api.public_url: give an address such as https://example.com/matriarch, whose path has letters, digits and . _ ~ - only.`,
    );
  return path;
}

/** The target of a request without the path below which the server is reached. */
export function withoutBase(target: string, base: string): string {
  if (base === '') return target;
  // RFC 9728 has clients ask between host and path for what /matriarch/… says of itself.
  if (target.startsWith(`${METADATA_PATH}${base}/`))
    return METADATA_PATH + target.slice(METADATA_PATH.length + base.length);
  if (!target.startsWith(base)) return target;
  const rest = target.slice(base.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : target;
}

const scoped = (value: string, base: string) => value.replace('; Path=/;', `; Path=${base};`);

/** Cookies and links of replies name the path below the host. */
export function addBasePath(app: FastifyInstance, base: string): void {
  if (base === '') return;
  app.addHook('onSend', async (_request, reply) => {
    const cookie = reply.getHeader('set-cookie');
    // A cookie that is set is put beside those that are there.
    if (typeof cookie === 'string')
      reply.removeHeader('set-cookie').header('set-cookie', scoped(cookie, base));
    const link = reply.getHeader('link');
    if (typeof link === 'string') reply.header('link', link.replace('</', `<${base}/`));
  });
}

/** The page that opens, with the addresses of its files below the path; its code reads it from there too. */
export function pageBelow(html: string, base: string): string {
  return html
    .replace('<meta name="base-path" content=""', `<meta name="base-path" content="${base}"`)
    .replaceAll(/ (href|src)="\//g, ` $1="${base}/`);
}
