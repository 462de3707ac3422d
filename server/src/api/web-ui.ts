// The web interface: a file of the web root, and its index.html at the addresses of pages. Guards: every other path is 404, so that
// a monitor which asks for a path that is not here does not take the page for an answer. Names with a content hash in
// /assets/ are kept for good; everything else is asked for again.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../kernel/errors.ts';
import { pageBelow } from './base-path.ts';
import type { ApiConfig } from './config.ts';
import { pageHeaders } from './headers.ts';
import { pages } from './pages.gen.ts';

const NOT_BUILT = 'The web interface is not built. Stop the server and run npm start, which builds it.';
/** Of a path that no operation, file or page has. */
export const NOTHING = 'There is nothing at this path.';
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

const SEGMENT = '[^/]+';
const PAGE_PATTERNS = pages.map((page) => {
  const parts = page.split('/').map((part) => (part.startsWith(':') ? SEGMENT : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}/?$`);
});

/** Whether the browser has a page of ours at that path. */
const isPage = (pathname: string) => PAGE_PATTERNS.some((pattern) => pattern.test(pathname));

/** Somebody opened an address in a browser; a program that asks for a page says so too. */
const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') === true;

export type ServePage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Files that the build left beside the file itself, smaller, are sent to those who can read them. */
const STATIC = { serve: false, cacheControl: false, dotfiles: 'ignore', preCompressed: true } as const;

interface ServedFile {
  /** Relative to the web root. */
  file: string;
  /** 404 where a person reads in the interface that there is no such page. */
  status: 200 | 404;
}

export async function webUi(app: FastifyInstance, config: ApiConfig): Promise<ServePage> {
  const { webRoot, pagePolicy, isForeignWeb = false, basePath = '' } = config;
  const root = webRoot === undefined ? undefined : path.resolve(webRoot);
  if (root !== undefined) await app.register(fastifyStatic, { root, ...STATIC });

  const find = async (request: FastifyRequest, base: string | undefined): Promise<ServedFile> => {
    const { pathname } = request.call;
    const named = fileNamed(pathname);
    if (named !== undefined && base !== undefined && (await isFile(path.join(base, named))))
      return { file: named, status: 200 };
    const known = isPage(pathname) || (isForeignWeb && wantsPage(request));
    if (!known && !wantsPage(request)) throw new Fault('not_found', NOTHING);
    return { file: 'index.html', status: known ? 200 : 404 };
  };

  return async (request, reply) => {
    const { file, status } = await find(request, root);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply.header('allow', 'GET, HEAD');
      throw new Fault('method_not_allowed', 'Pages can only be read.');
    }
    if (root === undefined || !(await isFile(path.join(root, 'index.html'))))
      throw new Fault('not_found', NOT_BUILT);
    reply.code(status).headers({
      ...pageHeaders(pagePolicy),
      'cache-control': file.startsWith('assets/') ? FOREVER : 'no-cache',
    });
    if (basePath !== '' && file === 'index.html' && !isForeignWeb) {
      const html = await readFile(path.join(root, file), 'utf8');
      return reply.type('text/html; charset=utf-8').send(pageBelow(html, basePath));
    }
    return reply.sendFile(file);
  };
}
