package javax.annotation;

/** What generated sources are marked with. Older Javas had it; newer ones leave it to a library, and this is all of it. */
public @interface Generated {
  String[] value();

  String date() default "";

  String comments() default "";
}
