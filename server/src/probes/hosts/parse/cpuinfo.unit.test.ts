import { describe, expect, it } from 'vitest';
import { coresFromSiblings, parseCpuinfo, parseMaxFrequency } from './cpuinfo.ts';

interface X86 {
  sockets: number;
  cores: number;
  threads: number;
  megahertz?: (processor: number) => string;
}

/** As the kernel prints it: all first threads of all sockets, then the second ones. */
function x86({ sockets, cores, threads, megahertz = () => '2245.779' }: X86): string {
  const blocks: string[] = [];
  for (let thread = 0; thread < threads; thread += 1)
    for (let socket = 0; socket < sockets; socket += 1)
      for (let core = 0; core < cores; core += 1) {
        const processor = blocks.length;
        blocks.push(
          [
            `processor\t: ${processor}`,
            'vendor_id\t: GenuineIntel',
            'model\t\t: 106',
            'model name\t: Intel(R) Xeon(R) Gold 6348 CPU @ 2.60GHz',
            `cpu MHz\t\t: ${megahertz(processor)}`,
            `physical id\t: ${socket}`,
            `siblings\t: ${cores * threads}`,
            `core id\t\t: ${core * 4}`,
            `cpu cores\t: ${cores}`,
            'flags\t\t: fpu vme de pse',
            'bugs\t\t:',
            'power management:',
          ].join('\n'),
        );
      }
  return `${blocks.join('\n\n')}\n\n`;
}

const ARM_BLOCK = (processor: number, part: string) =>
  `processor\t: ${processor}\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: ${part}\nCPU revision\t: 1\n`;

describe('parseCpuinfo', () => {
  it('counts cores over all sockets, threads as logical processors', () => {
    expect(parseCpuinfo(x86({ sockets: 2, cores: 28, threads: 2 }))).toEqual({
      model: 'Intel(R) Xeon(R) Gold 6348 CPU @ 2.60GHz',
      vendor: 'GenuineIntel',
      sockets: 2,
      cores: 56,
      logical: 112,
      clock_speed: 2_245_779_000,
    });
  });

  it('tells two sockets of one core from one socket of two', () => {
    expect(parseCpuinfo(x86({ sockets: 2, cores: 1, threads: 1 })).cores).toBe(2);
    expect(parseCpuinfo(x86({ sockets: 1, cores: 1, threads: 2 })).cores).toBe(1);
  });

  it('takes the clock of the fastest processor', () => {
    const text = x86({
      sockets: 1,
      cores: 4,
      threads: 1,
      megahertz: (n) => (n === 2 ? '3500.000' : '800.012'),
    });
    expect(parseCpuinfo(text).clock_speed).toBe(3_500_000_000);
  });

  it('knows no cores and no clock of an ARM, but names its design', () => {
    const graviton = [0, 1, 2, 3].map((n) => ARM_BLOCK(n, '0xd40')).join('\n');
    expect(parseCpuinfo(graviton)).toEqual({ model: 'Neoverse-V1', logical: 4 });
    expect(parseCpuinfo(ARM_BLOCK(0, '0xfff'))).toEqual({ logical: 1 });
  });

  it('reads 32-bit ARM, where one block names the model of all', () => {
    const text =
      'Processor\t: ARMv7 Processor rev 4 (v7l)\nprocessor\t: 0\nBogoMIPS\t: 38.40\n\nprocessor\t: 1\nBogoMIPS\t: 38.40\n\nHardware\t: BCM2835\n';
    expect(parseCpuinfo(text)).toEqual({ model: 'ARMv7 Processor rev 4 (v7l)', logical: 2 });
  });

  it('reads POWER and s390x', () => {
    const power =
      'processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2500.000000MHz\n\nprocessor\t: 1\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2500.000000MHz\n\ntimebase\t: 512000000\n';
    expect(parseCpuinfo(power)).toEqual({
      model: 'POWER9 (architected), altivec supported',
      logical: 2,
      clock_speed: 2_500_000_000,
    });
    const s390 =
      'vendor_id       : IBM/S390\n# processors    : 4\nprocessor 0: version = FF,  identification = 0A1B2C,  machine = 8561\n\ncpu number      : 0\ncpu MHz dynamic : 5200\ncpu MHz static  : 5200\n';
    expect(parseCpuinfo(s390)).toEqual({ vendor: 'IBM/S390', logical: 4, clock_speed: 5_200_000_000 });
  });

  it('knows nothing of an empty or foreign text', () => {
    expect(parseCpuinfo('')).toEqual({});
    expect(parseCpuinfo('<html>processor</html>')).toEqual({});
  });
});

describe('parseMaxFrequency', () => {
  it('turns kilohertz into hertz, and nothing into nothing', () => {
    expect(parseMaxFrequency('3500000\n')).toBe(3_500_000_000);
    expect(parseMaxFrequency('0\n')).toBeUndefined();
    expect(parseMaxFrequency('<unknown>')).toBeUndefined();
    expect(parseMaxFrequency(undefined)).toBeUndefined();
  });
});

describe('coresFromSiblings', () => {
  it('counts one core for each distinct list', () => {
    expect(coresFromSiblings(['0-1\n', '0-1\n', '2-3\n', '2-3\n'])).toBe(2);
    expect(coresFromSiblings(['0\n', '1\n'])).toBe(2);
  });
  it('knows nothing when a processor tells nothing', () => {
    expect(coresFromSiblings(['0\n', undefined])).toBeUndefined();
    expect(coresFromSiblings([])).toBeUndefined();
  });
});
