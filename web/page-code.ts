// Tells the page that opens which files a server's page is made of, so that they are fetched while what comes first
// is still being read: else the browser hears of them only from that. public/first-paint.js asks for them, on that page alone.
// Guards: the files of the build are named, or the build fails.
import type { Plugin, Rolldown } from 'vite';

/** Attributes of the script, by the part of the build that they name. */
const PAGES = {
  'server-page': 'src/features/insight/servers/server-page.tsx',
};
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
