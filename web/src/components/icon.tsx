const paths = {
  search: 'M11 19a8 8 0 1 1 0-16 8 8 0 0 1 0 16Zm10 2-4.3-4.3',
  wallet:
    'M3 7.5A2.5 2.5 0 0 1 5.5 5H18v3M3 7.5V17a2.5 2.5 0 0 0 2.5 2.5H20a1 1 0 0 0 1-1V9a1 1 0 0 0-1-1H5.5M17 13.7h.01',
  sun: 'M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM12 1v2m0 18v2M4.2 4.2l1.4 1.4m12.8 12.8 1.4 1.4M1 12h2m18 0h2M4.2 19.8l1.4-1.4M18.4 5.6l1.4-1.4',
  moon: 'M21 12.8A9 9 0 1 1 11.2 3a7 7 0 0 0 9.8 9.8Z',
  auto: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0 0V3',
  crown: 'M3 18h18M4 15 3 6l5 4 4-6 4 6 5-4-1 9Z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'm4 12.5 5 5L20 6.5',
  close: 'M5 5l14 14M19 5 5 19',
  external: 'M14 4h6v6m0-6-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5',
  star: 'm12 3.500 2.700 5.500 6 .9-4.350 4.200 1 6L12 17.300l-5.350 2.800 1-6L3.300 9.900l6-.9Z',
  heart: 'M12 20.5S3.5 15.6 3.5 9.4A4.7 4.7 0 0 1 12 6.7a4.7 4.7 0 0 1 8.5 2.7c0 6.2-8.5 11.1-8.5 11.1Z',
  reply: 'M9 7 4 12l5 5m-5-5h10a6 6 0 0 1 6 6v1',
  flag: 'M5 21V4m0 1c5-3 8 3 14 0v9c-6 3-9-3-14 0',
  trash: 'M4 7h16m-10 4v6m4-6v6M6 7l1 13h10l1-13M9 7V4h6v3',
  bell: 'M6 16V10a6 6 0 1 1 12 0v6l2 2H4l2-2Zm4 5h4',
  rocket: 'M5 15c-1.5 1-2 5-2 5s4-.5 5-2m1-3-3-3c1-6 6-9.500 14-9.500C20 11 16.500 15 10.500 16L9 15Zm5-6h.01',
  chevron: 'm6 9 6 6 6-6',
  plus: 'M12 5v14M5 12h14',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3.500 2',
  users: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 10a7 7 0 0 1 14 0m1-10.500a4 4 0 0 0 0-7.500m2 12a7 7 0 0 1 3.500 6',
  comment: 'M4 5h16v11H9l-5 4Z',
  gear: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Zm-6 10a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z',
  chart: 'M4 20V4m0 16h16M8 16v-4m4 4V8m4 8v-6',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  filter: 'M4 5h16l-6.500 8v6l-3-1.500V13Z',
  bolt: 'M13 2 4.500 13.500H11L10 22l8.500-12H12Z',
  edit: 'M4 20h4L19.500 8.500a2.100 2.100 0 0 0-4-4L4 16Zm9-13 4 4',
  image: 'M4 5h16v14H4zm0 11 5-5 4 4 3-3 4 4M15.500 9h.01',
  share: 'M12 15V3m-4 4 4-4 4 4M5 12v8h14v-8',
  shield: 'M12 3 4.500 6v5.500c0 5 3.500 8 7.500 9.500 4-1.500 7.500-4.500 7.500-9.500V6Z',
} as const

export type IconName = keyof typeof paths

/** Decorative: the element around it carries the name. */
export function Icon({ name, className = 'size-4' }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      className={`shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
