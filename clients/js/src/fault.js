export class Refused extends Error {
  name = 'Refused';
}

export class Unavailable extends Error {
  name = 'Unavailable';
}
