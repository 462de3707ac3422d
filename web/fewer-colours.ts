// Leaves out of the build the colours of Mantine that no page uses: they are declared for every page, in light and in dark. Guards: a rule
// that needs one of them fails the build.
import type { Plugin } from 'vite';

const UNUSED = 'pink|grape|violet|indigo|cyan|green|lime|yellow|orange';
const DECLARED = new RegExp(`--mantine-color-(?:${UNUSED})-[\\w-]+:[^;}]*;?`, 'g');
const NEEDED = new RegExp(`var\\(--mantine-color-(?:${UNUSED})-[\\w-]+`);

export function fewerColours(): Plugin {
  return {
    name: 'fewer-colours',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'asset' || !output.fileName.endsWith('.css')) continue;
        const styles = String(output.source).replaceAll(DECLARED, '');
        const needed = NEEDED.exec(styles);
        if (needed)
          this.error(`${output.fileName} needs ${needed[0]}), which is left out by fewer-colours.ts.`);
        output.source = styles;
      }
    },
  };
}
