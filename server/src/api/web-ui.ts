// The web interface: a file of the web root, else its index.html, so that the browser's own routes work. Names with
// a content hash in /assets/ are kept for good; everything else is asked for again.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../kernel/errors.ts';
import type { ApiConfig } from './config.ts';
import { pageHeaders } from './headers.ts';

const NOT_BUILT = 'The web interface is not built. Stop the server and run npm start, which builds it.';
const FOREVER = 'public, max-age=31536000, immutable';

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The file of the web root that a path names, relative to it; undefined for anything outside or hidden. */
function fileNamed(pathname: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch (cause) {
    throw new Fault('bad_request', 'The URL is malformed.', { cause });
  }
  if (!decoded.startsWith('/') || decoded.includes('\0') || decoded.includes('\\')) return undefined;
  const parts = decoded.slice(1).split('/');
  if (parts.some((part) => part === '' || part.startsWith('.'))) return undefined;
  return parts.join('/');
}

export type ServePage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Files that the build left beside the file itself, smaller, are sent to those who can read them. */
const STATIC = { serve: false, cacheControl: false, dotfiles: 'ignore', preCompressed: true } as const;

export async function webUi(app: FastifyInstance, config: ApiConfig): Promise<ServePage> {
  const { webRoot, pagePolicy } = config;
  const root = webRoot === undefined ? undefined : path.resolve(webRoot);
  if (root !== undefined) await app.register(fastifyStatic, { root, ...STATIC });

  return async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply.header('allow', 'GET, HEAD');
      throw new Fault('method_not_allowed', 'Pages can only be read.');
    }
    const named = fileNamed(request.call.pathname);
    if (root === undefined || !(await isFile(path.join(root, 'index.html'))))
      throw new Fault('not_found', NOT_BUILT);
    const file = named !== undefined && (await isFile(path.join(root, named))) ? named : 'index.html';
    reply.headers({
      ...pageHeaders(pagePolicy),
      'cache-control': file.startsWith('assets/') ? FOREVER : 'no-cache',
    });
    return reply.sendFile(file);
  };
}
