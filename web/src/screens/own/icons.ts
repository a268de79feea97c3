// Icons of 20 by 20, each the path of an SVG. Each is an export of its own: the script gets only those of the lists.

export const desktop = 'M4 4.5h12v8.2H4zM2 15.7h16';
export const phone = 'M6 2.5h8v15H6zM9 14.8h2';
export const window = 'M3 4h14v12H3zM3 7.2h14M7.3 11.5l2 2 3.5-3.8';
export const key = 'M6.5 13.2a3.3 3.3 0 1 0 0-6.5 3.3 3.3 0 0 0 0 6.5zM9.8 10h7.4v3M13.8 10v2.4';
export const mail = 'M2.8 4.5h14.4v11H2.8zM3 5.3l7 5.4 7-5.4';
export const link =
  'M8.4 11.6a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 0 0-4.3-4.3l-.9.9M11.6 8.4a3 3 0 0 0-4.3 0L4.7 11A3 3 0 0 0 9 15.3l.9-.9';
export const app = 'M3.3 3.3h5v5h-5zM11.7 3.3h5v5h-5zM3.3 11.7h5v5h-5zM11.7 11.7h5v5h-5z';
export const enter = 'M11 3.5h5.5v13H11M3.5 10h8.5M9 6.8l3.2 3.2L9 13.2';
export const leave = 'M9 3.5H3.5v13H9M7.5 10h9M13.3 6.8l3.2 3.2-3.2 3.2';
export const change = 'M4 16l.7-3.3L13.5 4 16 6.5l-8.7 8.8z';
export const alert = 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6.3v4.4M10 13.2v.4';
export const person = 'M10 9.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM3.8 17a6.2 6.2 0 0 1 12.4 0';
export const lock = 'M4.5 9h11v8h-11zM7 9V6.2a3 3 0 0 1 6 0V9M10 12.2v1.8';
export const shield = 'M10 2.5l6 2.1v4.6c0 3.8-2.5 6.6-6 8.3-3.5-1.7-6-4.5-6-8.3V4.6zM7.3 9.9l2 2 3.5-4';
export const clock = 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6.2V10l2.6 2';
export const download = 'M10 3v9.2M6.4 8.8l3.6 3.5 3.6-3.5M3.5 16.5h13';
export const bin = 'M3.8 5.5h12.4M7.8 5.5v-2h4.4v2M5.3 5.5l.8 11.2h7.8l.8-11.2M8.4 8.7v4.8M11.6 8.7v4.8';
