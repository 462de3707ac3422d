// Tells the page that opens which files a server's page is made of, so that they are fetched while what comes first
// is still being read: else the browser hears of them only from that. public/first-paint.js asks for them, on that page alone.
// Guards: the files of the build are named, and their code is no more than the page needs, or the build fails.
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Attributes of the script, by the part of the build that they name. */
const PAGES = {
  'server-page': 'src/features/insight/servers/server-page.tsx',
};
/** A line that a page shares with menus and dialogs can bring all of them along. */
const MOST_GZIP_BYTES = 42_000;
const SCRIPT = '<script src="/first-paint.js"';

/** The files of a page beside what every page begins with: its code, then its styles. */
function filesOf(bundle: Rolldown.OutputBundle, page: string): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const found = new Map<string, Rolldown.OutputChunk>();
  const visit = (fileName: string): void => {
    const chunk = chunks.find((one) => one.fileName === fileName);
    if (!chunk || chunk.isEntry || found.has(fileName)) return;
    found.set(fileName, chunk);
    for (const imported of chunk.imports) visit(imported);
  };
  const first = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(page)));
  if (first) visit(first.fileName);
  const sum = [...found.values()].reduce((total, { code }) => total + gzipSync(code).byteLength, 0);
  if (sum > MOST_GZIP_BYTES)
    throw new Error(`${page} needs ${sum} bytes of code beside what comes first, ${[...found.keys()].join(', ')}.
At most ${MOST_GZIP_BYTES} may be loaded before it is shown: load something lazily, or mend the groups of chunks.ts.`);
  const styles = [...found.values()].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
  return [...found.keys(), ...styles];
}

export function pageCode(): Plugin {
  return {
    name: 'page-code',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const attributes = Object.entries(PAGES).map(([name, page]) => {
          const files = filesOf(bundle ?? {}, page);
          if (files.length === 0) throw new Error(`${page} is not in the build`);
          return `data-${name}="${files.map((file) => `/${file}`).join(' ')}"`;
        });
        if (!html.includes(SCRIPT)) throw new Error('first-paint.js is not in the page');
        return html.replace(SCRIPT, `${SCRIPT} ${attributes.join(' ')}`);
      },
    },
  };
}
