// Tells the page that opens which files a server's page is made of, so that they are fetched while what comes first is still
// being read: else the browser hears of them only from that. public/first-paint.js asks for them, on that page alone.
// Guards: a file of the build is named, or the build fails.
import type { Plugin, Rolldown } from 'vite';

const PAGE = 'src/features/servers/server-page.tsx';
const SCRIPT = '<script src="/first-paint.js"';

function codeOf(bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const found = new Set<string>();
  const visit = (fileName: string): void => {
    const chunk = chunks.find((one) => one.fileName === fileName);
    if (!chunk || found.has(fileName)) return;
    found.add(fileName);
    for (const imported of chunk.imports) visit(imported);
  };
  const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(PAGE));
  if (page) visit(page.fileName);
  for (const chunk of chunks) if (chunk.isEntry) found.delete(chunk.fileName);
  return [...found];
}

export function serverPageCode(): Plugin {
  return {
    name: 'server-page-code',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const files = codeOf(bundle ?? {}).map((file) => `/${file}`);
        if (files.length === 0 || !html.includes(SCRIPT)) throw new Error(`${PAGE} is not in the build`);
        return html.replace(SCRIPT, `${SCRIPT} data-server-page="${files.join(' ')}"`);
      },
    },
  };
}
