package io.baton.member;

/** The rules, each with the tree that suits it. */
enum Way {
  NAIMI_TREHEL(Shape.STAR),
  RAYMOND(Shape.BINARY),
  CENTRALIZED(Shape.STAR),
  OPEN_CUBE(Shape.CUBE);

  private final Shape shape;

  Way(Shape shape) {
    this.shape = shape;
  }

  Cluster cluster(int size) {
    Rules rules =
        switch (this) {
          case NAIMI_TREHEL -> Rules.NAIMI_TREHEL;
          case RAYMOND -> Rules.RAYMOND;
          case CENTRALIZED -> Rules.CENTRALIZED;
          case OPEN_CUBE -> Rules.OPEN_CUBE;
        };
    return new Cluster(size, Settings.ofSecond(Cluster.SECOND), rules, shape);
  }
}
